"""The network between a server and its database, which can be interrupted."""

import contextlib
import socket
import threading

from programs import free_port


class Relay:
    """Forwards connections to a Cluster's port as long as it is open. It has the Cluster's
    address(), with the relay's port."""

    def __init__(self, cluster):
        self.cluster, self.port = cluster, free_port()
        self.lock = threading.Lock()
        self.listener, self.sockets = None, set()
        self.open()

    def address(self, role):
        return self.cluster.address(role).replace(f"port={self.cluster.port}", f"port={self.port}")

    @property
    def is_open(self):
        return self.listener is not None

    def open(self):
        if not self.listener:
            self.listener = socket.create_server(("127.0.0.1", self.port), backlog=64)
            threading.Thread(target=self._accept, args=[self.listener], daemon=True).start()

    def close(self):
        """Breaks all connections; further ones are refused."""
        with self.lock:
            listener, self.listener = self.listener, None
            sockets, self.sockets = self.sockets, set()
        if listener:
            # Wakes its thread, which closing alone does not.
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        for end in sockets:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _accept(self, listener):
        with contextlib.suppress(OSError):
            while True:
                near = listener.accept()[0]
                far = socket.create_connection(("127.0.0.1", self.cluster.port))
                with self.lock:
                    if self.listener is not listener:
                        near.close()
                        far.close()
                        return
                    self.sockets |= {near, far}
                for ends in [(near, far), (far, near)]:
                    threading.Thread(target=self._forward, args=ends, daemon=True).start()

    def _forward(self, source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        with self.lock:
            self.sockets.discard(source)
        source.close()
