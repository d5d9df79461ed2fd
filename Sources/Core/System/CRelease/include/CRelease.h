#ifndef SLUICE_RELEASE_H
#define SLUICE_RELEASE_H

/// The commit that a release was built from, shortened; empty for other builds. Package.swift takes it
/// from SLUICE_COMMIT, and only this file is compiled again when it changes.
const char *sluice_commit(void);

#endif
