/// Common given names, lower case: evidence that a capitalised word is a person.
///
/// A small list of names that are common in English-speaking countries and among people who live
/// there; names that are not in it are found by their context.
enum GivenNames {
    /// Names that are hardly ever anything else.
    static let plain = words(
        """
        aaliyah aaron abby abdul abdullah abigail abraham ada adam adele adrian adriana agnes ahmed
        aidan aiko aisha alan alana albert alejandro alex alexa alexander alexandra alexis alfred
        ali alice alicia alina alison allison alyssa amanda amara amelia amina amir amit amy ana
        anders andre andrea andrew andrej andy angela angelica angelina anika anil anita anjali ann
        anna annabel anne annette annie anthony antoine antonio anya archie ariana arjun arthur
        arturo arun asher ashley astrid audrey aurora ava avery axel ayesha barbara barry beatrice
        becky ben benjamin bernard bernie beth bethany betty beverly bianca bilal björn blake bob
        bobby bonnie brad bradley brandon brenda brendan brett brian brianna bridget bruce bruno
        bryan caleb callum calvin cameron camila camille carl carla carlos carmen carol caroline
        carolyn carrie casey cassandra catherine cathy cecilia celia chad charles charlie charlotte
        chen cheryl chiara chloe chris christian christina christine christopher chuck cindy claire
        clara clarence claudia clayton cole colin colleen connie connor constance cora corey
        courtney craig cristina curtis cynthia dale damian dan dana daniel daniela danielle danny
        darius darren dave david deborah debra deepak denise dennis derek desmond devon diana diane
        diego dmitri dolores dominic don donald donna doris dorothy doug douglas duncan dustin
        dylan ed eddie edgar edith eduardo edward edwin eileen elaine eleanor elena eli elias elijah
        elisa elise elizabeth ella ellen ellie elliot elsa emil emilia emilio emily emma enrique
        eric erica erik erika erin ernest esther ethan eugene eva evan evelyn ezra fatima felicia
        felipe felix fernando fiona fran frances francesca francis francisco frank franklin fred
        freddie frederick frida gabe gabriel gabriela gabrielle gail gareth gary gavin gemma gene
        geoff george georgina gerald gerard gianna gina giovanni giulia gladys glen glenn gloria
        gordon graham greg gregory greta guillermo gus gustavo gwen hannah hans harold harriet
        harrison harry harvey hassan hazel heather hector helen helena henrik henry herbert hiroshi
        holly howard hugh hugo hussein ian ibrahim ida ignacio igor imani imran ines ingrid irene
        irina isaac isabel isabella isabelle isaiah isla ivan jace jacob jacqueline jacques jada
        jaden jake jakob jamal james jamie jan jana jane janet janice jared jasmine jason javier
        jay jean jeff jeffrey jenna jennifer jenny jeremiah jeremy jerome jerry jesse jessica jesus
        jill jim jimmy jin jing jo joan joanna joanne joe joel joey johan johanna john johnny jon
        jonah jonas jonathan jorge jose josé josef joseph josephine josh joshua joyce juan juanita
        judith judy jules julia julian juliana julie juliet julio jun justin kaitlyn kamal kanye
        karen karim karl karla kate katherine kathleen kathryn kathy katie katrina kay kayla keiko
        keith kelly kelsey ken kendra kenneth kenny kenji kevin khalid kim kimberly kirk kofi kristen
        kristin kristina kumar kurt kyle kylie lakshmi lamar lance lara larissa larry lars laura
        lauren laurie layla leah lee leila len lena leo leon leonard leonardo leroy leslie levi
        lewis li liam lillian lily lin linda lindsay lisa lloyd logan lois lola lorena lorenzo
        loretta lori lorraine louis louisa louise luca lucas lucia luciana lucy luis luke luna lydia
        lynn mabel maddie mae maggie mahmoud malcolm malik mandy manuel marc marcel marcela marco
        marcos marcus margaret margot maria mariam marian mariana marie marilyn marina mario marion
        marisa marissa marjorie marlon marta martha martin marvin mary mason mateo mathilda matt
        matteo matthew maureen maurice mauricio maxine maya megan mehmet mei mel melanie melinda
        melissa mercedes meredith mia michael michaela michelle miguel mika mike mikhail mila milan
        mildred miles milo mina ming miranda miriam mitchell mohamed mohammad mohammed moira molly
        mona monica morgan moses muhammad mustafa myra nadia nadine nancy naomi naoko natalia natalie
        natasha nate nathan nathaniel neha neil nell nelson nia nicholas nick nicola nicolas nicole
        nigel niko nikolai nina noah noel noor nora norma norman olga oliver olivia omar oscar oskar
        otis otto owen pablo paige pam pamela patricia patrick patty paul paula pauline pedro peggy
        penny percy pete peter petra phil philip phillip phyllis pierre polly pooja priya quentin
        quinn rachel rafael rahul raj rajesh ralph ramon raphael rashid raul ravi raymond rebecca
        reggie regina reid rené renee rhonda ricardo richard rick ricky riley rita robert roberta
        roberto robin rochelle rodney rodrigo roger rohan roland roman ron ronald ronnie rory rosa
        rosalie rosemary rosie ross roxanne roy ruben rudy rufus rupert russell ruth ryan sabrina sadie
        sally salma sam samantha samir samuel sana sandra sandy sanjay santiago sara sarah sasha
        saul scott sean sebastian selena serena sergei sergio seth shane shannon sharon shaun shawn
        sheila shelby shelley sheryl shirley shreya sid sidney silvia simon simone sofia sofie
        sonia sonja sophia sophie stacey stacy stan stanley stella stephanie stephen steve steven
        stuart sunita susan susanna susie suzanne sven sybil sylvia tamara tammy tanya tara tariq
        tasha tatiana ted terence teresa terrence terry tess tessa thea thelma theo theodore theresa
        thomas tiffany tim timothy tina tobias toby todd tom tomas tommy toni tony tracy travis
        trevor tricia trisha tristan tyler ulrich uma ursula valentina valerie vanessa vera vernon
        veronica vicki vicky victor victoria vijay vikram vince vincent viola vivian vivienne vlad
        vladimir wade wallace walter wanda warren wayne wei wendy wesley wilbur wilfred willa
        william willie wilma winston xavier xiao yan yara yasmin yolanda yosef yuki yusuf yvette
        yvonne zac zach zachary zainab zane zara zelda zoe zoey
        """)

    /// Names that are also words, months, or places: they need more of the context.
    static let ambiguous = words(
        """
        abel amber angel april art ash august austin autumn bailey bay berlin beau bill brooke
        brooklyn buddy carter chance chase chelsea chester china christ clay cliff coral crystal
        daisy dakota dallas dawn dean dell denver dick dolly drew duke earl eden eve faith fern
        fleur florence forest forrest foster frank georgia ginger glory grace grant hank harmony hart
        heaven hope houston hunter india iris israel ivy jack jackson jade jasper jersey jewel jordan
        joy june kenya kent kit lake lane lincoln london lorraine madison mark max may melody mercy
        misty nelson nevada norm olive opal orlando paris parker pat paisley pearl phoenix pierce
        piper poppy porter ray reed rich river rob robin rocky rod rose ruby rusty sage sandy
        savannah scarlett shelby sky skye sterling stone storm sue summer sunny sydney tanner taylor
        tiger trinity troy tucker tyne valentine van victor violet virginia ward will willow wolf
        woody
        """)

    /// The words of a literal, of which white space is no part.
    static func words(_ text: String) -> Set<String> {
        Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }
}
