"""The tables of a site. Times are seconds since 1970; flags are 0 or 1.

``database`` converts ``SERIAL PRIMARY KEY``, ``BLOB`` and ``REAL`` to each system's dialect. New tables of later
versions are created by an additional script at the end of ``SCHEMA``; semicolons may only end statements.
"""

from __future__ import annotations

SCHEMA = (
    """
    CREATE TABLE settings (
        name TEXT PRIMARY KEY,            -- format, secret (signs cookies), and when each kind of upkeep was last done
        value TEXT NOT NULL
    );
    CREATE TABLE users (
        id SERIAL PRIMARY KEY,
        name TEXT NOT NULL,
        name_key TEXT NOT NULL UNIQUE,    -- the name as it is compared
        email TEXT NOT NULL,
        password TEXT NOT NULL,           -- argon2id, empty while none is set
        role TEXT NOT NULL,               -- entrant, organiser or team
        token TEXT UNIQUE,                -- SHA-256 of the token for programs
        created REAL NOT NULL
    );
    CREATE TABLE sessions (
        id TEXT PRIMARY KEY,              -- SHA-256 of what the cookie holds
        user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        expires REAL NOT NULL
    );
    CREATE TABLE links (
        id TEXT PRIMARY KEY,              -- SHA-256 of what the link holds
        kind TEXT NOT NULL,               -- organiser: makes one, reset: sets a password
        user_id INTEGER REFERENCES users ON DELETE CASCADE,
        expires REAL NOT NULL
    );
    CREATE TABLE attempts (               -- what rate limits count
        name TEXT NOT NULL,
        at REAL NOT NULL
    );
    CREATE INDEX attempts_by_name ON attempts (name, at);
    CREATE TABLE competitions (
        id SERIAL PRIMARY KEY,
        slug TEXT NOT NULL UNIQUE,        -- in addresses
        title TEXT NOT NULL,
        text TEXT NOT NULL,
        state TEXT NOT NULL,
        settings TEXT NOT NULL,           -- JSON
        test_open INTEGER NOT NULL,       -- whether rankings and replays of test sets are shown
        secret TEXT NOT NULL,             -- that the chance of the deciding plays derives from
        opens REAL,
        closes REAL,
        created REAL NOT NULL
    );
    CREATE TABLE entries (
        id SERIAL PRIMARY KEY,
        competition_id INTEGER NOT NULL REFERENCES competitions,
        user_id INTEGER REFERENCES users, -- none for the bundled controllers that all are compared with
        name TEXT NOT NULL,
        location TEXT NOT NULL,           -- file in the archive, or module of a bundled controller
        class_name TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        archive BLOB,                     -- the zip, none once it is deleted
        size INTEGER NOT NULL,
        secret TEXT NOT NULL,             -- that the chance of its evaluation derives from
        state TEXT NOT NULL,
        message TEXT NOT NULL,
        details TEXT NOT NULL,            -- a traceback, or results per game, for the owner only
        counted INTEGER NOT NULL,         -- whether it is the one of its user that is ranked
        count_when_done INTEGER NOT NULL,
        barred TEXT NOT NULL,             -- why an organiser has disqualified it
        refunded INTEGER NOT NULL,        -- whether a fault of the site gave the quota back
        deleted INTEGER NOT NULL,
        created REAL NOT NULL,
        changed REAL NOT NULL
    );
    CREATE INDEX entries_by_user ON entries (user_id, created);
    CREATE INDEX entries_by_competition ON entries (competition_id, counted);
    CREATE TABLE events (                 -- what happened to an entry, in words, for the owner only
        id SERIAL PRIMARY KEY,
        entry_id INTEGER NOT NULL REFERENCES entries ON DELETE CASCADE,
        at REAL NOT NULL,
        words TEXT NOT NULL
    );
    CREATE INDEX events_by_entry ON events (entry_id, id);
    CREATE TABLE jobs (                   -- what workers do: check an entry, or play once
        id SERIAL PRIMARY KEY,
        competition_id INTEGER NOT NULL REFERENCES competitions,
        entry_id INTEGER NOT NULL REFERENCES entries ON DELETE CASCADE,  -- for whose sake
        first_id INTEGER NOT NULL REFERENCES entries ON DELETE CASCADE,  -- the players
        second_id INTEGER REFERENCES entries ON DELETE CASCADE,
        user_id INTEGER NOT NULL,         -- of the entry, 0 for a bundled controller
        kind TEXT NOT NULL,               -- check or play
        phase TEXT NOT NULL,              -- evaluation, active or final
        set_name TEXT NOT NULL,
        game TEXT NOT NULL,
        level INTEGER NOT NULL,
        repeat INTEGER NOT NULL,
        priority INTEGER NOT NULL,        -- smaller is earlier, within the turns of a user
        state TEXT NOT NULL,              -- waiting, taken, done, failed
        worker TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        queued REAL NOT NULL,
        taken REAL,
        lease REAL,                       -- until when the worker has it unless it is heard of again
        seconds REAL NOT NULL             -- that it took
    );
    CREATE INDEX jobs_by_state ON jobs (state, taken);
    CREATE INDEX jobs_by_entry ON jobs (entry_id, state);
    CREATE TABLE plays (
        id SERIAL PRIMARY KEY,
        job_id INTEGER NOT NULL UNIQUE,   -- a job is played once, whatever happens to its worker
        competition_id INTEGER NOT NULL REFERENCES competitions,
        set_name TEXT NOT NULL,
        phase TEXT NOT NULL,
        game TEXT NOT NULL,
        level INTEGER NOT NULL,
        repeat INTEGER NOT NULL,
        seed INTEGER NOT NULL,
        stirring TEXT NOT NULL,
        ticks INTEGER NOT NULL,
        game_error TEXT NOT NULL,
        actions BLOB,                     -- zlib of JSON: names per tick and player, none once an entry is deleted
        isolation TEXT NOT NULL,          -- JSON
        seconds REAL NOT NULL,
        waited_ms REAL NOT NULL,
        finished REAL NOT NULL
    );
    CREATE INDEX plays_by_competition ON plays (competition_id, set_name, id);
    CREATE TABLE players (
        play_id INTEGER NOT NULL REFERENCES plays ON DELETE CASCADE,
        player INTEGER NOT NULL,
        entry_id INTEGER NOT NULL REFERENCES entries,
        outcome TEXT NOT NULL,
        score REAL NOT NULL,
        cause TEXT NOT NULL,
        details TEXT NOT NULL,            -- the traceback, for the owner only
        late_answers INTEGER NOT NULL,
        construction_used REAL NOT NULL,
        action_used_mean REAL NOT NULL,
        action_used_max REAL NOT NULL,
        used BLOB,                        -- zlib of JSON: what each answer used
        PRIMARY KEY (play_id, player)
    );
    CREATE INDEX players_by_entry ON players (entry_id, play_id);
    CREATE TABLE ladders (                -- openskill ratings of a two-player set, fitted anew every night
        competition_id INTEGER NOT NULL REFERENCES competitions,
        set_name TEXT NOT NULL,
        fitted REAL NOT NULL,
        last_play INTEGER NOT NULL,       -- the ratings know of the plays until this one
        ratings TEXT NOT NULL,            -- JSON
        PRIMARY KEY (competition_id, set_name)
    );
    CREATE TABLE workers (
        id TEXT PRIMARY KEY,
        began REAL NOT NULL,
        seen REAL NOT NULL,
        plays_at_a_time INTEGER NOT NULL
    );
    CREATE TABLE announcements (
        id SERIAL PRIMARY KEY,
        competition_id INTEGER REFERENCES competitions,
        at REAL NOT NULL,
        title TEXT NOT NULL,
        words TEXT NOT NULL
    );
    CREATE TABLE audit (
        id SERIAL PRIMARY KEY,
        at REAL NOT NULL,
        actor TEXT NOT NULL,
        action TEXT NOT NULL,
        subject TEXT NOT NULL,
        details TEXT NOT NULL
    );
    CREATE TABLE records (                -- plays of people in the browser
        id SERIAL PRIMARY KEY,
        user_id INTEGER REFERENCES users,
        name TEXT NOT NULL,
        game TEXT NOT NULL,
        level INTEGER NOT NULL,
        game_sha256 TEXT NOT NULL,
        level_sha256 TEXT NOT NULL,
        seed INTEGER NOT NULL,
        won INTEGER NOT NULL,
        score REAL NOT NULL,
        ticks INTEGER NOT NULL,
        actions BLOB,                     -- zlib of JSON, kept only with consent
        at REAL NOT NULL
    );
    CREATE INDEX records_by_game ON records (game, level, won, score)
    """,
    """
    ALTER TABLE players ADD COLUMN invalid_answers INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE entry_names (            -- whose entries may have a name, or one that looks like it
        competition_id INTEGER NOT NULL REFERENCES competitions,
        outline TEXT NOT NULL,            -- what the name looks like
        user_id INTEGER,                  -- none for the bundled controllers
        PRIMARY KEY (competition_id, outline)
    );
    UPDATE entries SET counted = 0 WHERE counted = 1 AND EXISTS (
        SELECT 1 FROM entries AS later WHERE later.competition_id = entries.competition_id
        AND later.user_id = entries.user_id AND later.counted = 1 AND later.id > entries.id
    );
    CREATE UNIQUE INDEX one_counted_entry ON entries (competition_id, user_id) WHERE counted = 1
    """,
    """
    ALTER TABLE players ADD COLUMN output TEXT NOT NULL DEFAULT '';
    ALTER TABLE players ADD COLUMN output_dropped INTEGER NOT NULL DEFAULT 0
    """,
    """
    CREATE TABLE boards (                 -- rankings as pages show them, computed in a process of their own
        competition_id INTEGER NOT NULL REFERENCES competitions ON DELETE CASCADE,
        set_name TEXT NOT NULL,
        final INTEGER NOT NULL,           -- whether it is that of the deciding plays
        version TEXT NOT NULL,            -- the plays and entries that it takes into account
        made REAL NOT NULL,
        seconds REAL NOT NULL,            -- CPU time that it took
        strengths_version TEXT NOT NULL,
        strengths_made REAL NOT NULL,
        strengths_seconds REAL NOT NULL,
        facts BLOB NOT NULL,              -- zlib of JSON
        PRIMARY KEY (competition_id, set_name, final)
    );
    CREATE TABLE undos (                  -- what can be taken back for a week
        id SERIAL PRIMARY KEY,
        at REAL NOT NULL,
        actor TEXT NOT NULL,
        action TEXT NOT NULL,
        subject TEXT NOT NULL,            -- in words
        competition_id INTEGER REFERENCES competitions ON DELETE CASCADE,
        entry_id INTEGER REFERENCES entries ON DELETE CASCADE,
        facts TEXT NOT NULL               -- JSON: the state before
    );
    ALTER TABLE plays ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;  -- the undo that brings it back, 0 if it counts
    CREATE INDEX jobs_by_lane ON jobs (state, competition_id, user_id, priority, id);
    CREATE INDEX jobs_by_time ON jobs (taken);
    CREATE TABLE fingerprints (           -- of the programs of entries, by which copied code is found
        entry_id INTEGER PRIMARY KEY REFERENCES entries ON DELETE CASCADE,
        hashes TEXT NOT NULL              -- JSON
    );
    CREATE TABLE invitations (            -- courses whose members sign up without the limits of an address
        id TEXT PRIMARY KEY,              -- SHA-256 of what the link holds
        words TEXT NOT NULL,              -- for whom
        left_uses INTEGER NOT NULL,
        expires REAL NOT NULL
    )
    """,
    """
    CREATE INDEX plays_by_time ON plays (finished);
    CREATE INDEX barred_entries ON entries (competition_id) WHERE barred != '';
    CREATE TABLE teams (                  -- users with the role team, who own the entries of their members
        id INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE,
        competition_id INTEGER NOT NULL REFERENCES competitions ON DELETE CASCADE,
        invitation TEXT UNIQUE,           -- SHA-256 of what its link holds
        invitation_ends REAL
    );
    CREATE TABLE members (
        competition_id INTEGER NOT NULL REFERENCES competitions ON DELETE CASCADE,
        user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        team_id INTEGER NOT NULL REFERENCES teams ON DELETE CASCADE,
        PRIMARY KEY (competition_id, user_id)
    );
    CREATE INDEX members_by_team ON members (team_id);
    CREATE INDEX members_by_user ON members (user_id);
    CREATE TABLE assistants (             -- who may see the entries of a competition
        competition_id INTEGER NOT NULL REFERENCES competitions ON DELETE CASCADE,
        user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        PRIMARY KEY (competition_id, user_id)
    );
    CREATE TABLE extensions (             -- later deadlines of single users or teams
        competition_id INTEGER NOT NULL REFERENCES competitions ON DELETE CASCADE,
        user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        until REAL NOT NULL,
        PRIMARY KEY (competition_id, user_id)
    );
    CREATE TABLE identities (             -- accounts at a provider of OpenID Connect
        issuer TEXT NOT NULL,
        subject TEXT NOT NULL,
        user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        PRIMARY KEY (issuer, subject)
    );
    CREATE TABLE logins (                 -- sign-ins at a provider that are not complete
        id TEXT PRIMARY KEY,              -- SHA-256 of the state that the provider sends back
        visitor TEXT NOT NULL,            -- SHA-256 of the token of the browser that began
        nonce TEXT NOT NULL,
        verifier TEXT NOT NULL,           -- of PKCE
        target TEXT NOT NULL,             -- the page to show afterwards
        expires REAL NOT NULL
    )
    """,
    """
    CREATE TABLE ballots (                -- pairs of generated levels or games that people compare
        id SERIAL PRIMARY KEY,
        contest TEXT NOT NULL,            -- SHA-256 of the plan of the store that they are from
        user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        day TEXT NOT NULL,                -- on which it was drawn, in UTC
        pair TEXT NOT NULL,               -- SHA-256 of the two results, whichever is left
        subject TEXT NOT NULL,
        left_generator TEXT NOT NULL,
        left_number INTEGER NOT NULL,
        right_generator TEXT NOT NULL,
        right_number INTEGER NOT NULL,
        left_s REAL NOT NULL DEFAULT 0,   -- seconds for which the left side was played, counted by the site
        right_s REAL NOT NULL DEFAULT 0,
        answer TEXT NOT NULL DEFAULT '',  -- empty until the vote
        consent INTEGER NOT NULL DEFAULT 0,
        drawn REAL NOT NULL,
        counted REAL NOT NULL             -- until when seconds have been counted: no second counts twice
    );
    CREATE UNIQUE INDEX one_vote ON ballots (contest, pair, user_id, day);
    CREATE UNIQUE INDEX one_open_ballot ON ballots (contest, user_id) WHERE answer = '';
    CREATE INDEX ballots_by_user ON ballots (user_id)
    """,
    """
    CREATE TABLE runs (                   -- of the tracks other than planning: what a store of the track would hold
        id SERIAL PRIMARY KEY,
        job_id INTEGER NOT NULL UNIQUE,
        competition_id INTEGER NOT NULL REFERENCES competitions ON DELETE CASCADE,
        entry_id INTEGER REFERENCES entries ON DELETE CASCADE,  -- whose evaluation it is, none for a round of all
        phase TEXT NOT NULL,              -- evaluation, round or final
        number INTEGER NOT NULL,          -- of the round in its competition, from 1
        entrants TEXT NOT NULL,           -- JSON: numbers of the entries that take part
        secret TEXT NOT NULL,             -- that its chance derives from
        plan TEXT NOT NULL,               -- JSON, with the files of programs as they are in the archives
        games TEXT NOT NULL,              -- JSON
        total INTEGER NOT NULL,           -- results that there are to be, and those that are done
        done INTEGER NOT NULL,
        began REAL NOT NULL,
        finished REAL,                    -- none until all is done
        facts BLOB,                       -- zlib of JSON: the tables of its results
        removed INTEGER NOT NULL          -- the undo that brings it back, 0 if it counts
    );
    CREATE INDEX runs_by_competition ON runs (competition_id, phase, id);
    CREATE INDEX runs_by_entry ON runs (entry_id);
    CREATE TABLE run_rows (
        id SERIAL PRIMARY KEY,
        run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        kind TEXT NOT NULL,               -- name of the track's table
        facts BLOB NOT NULL               -- zlib of JSON: the row, by field
    );
    CREATE INDEX run_rows_by_run ON run_rows (run_id, id)
    """,
    """
    CREATE TABLE judgements (             -- games that people let the site judge
        id SERIAL PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,         -- that the address has
        user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        asked REAL NOT NULL,
        state TEXT NOT NULL DEFAULT 'waiting',  -- waiting, taken or done
        worker TEXT NOT NULL DEFAULT '',
        lease REAL NOT NULL DEFAULT 0,    -- until when the worker has it
        attempts INTEGER NOT NULL DEFAULT 0,
        game TEXT NOT NULL,
        levels TEXT NOT NULL,             -- JSON
        facts BLOB                        -- zlib of JSON: what was found
    );
    CREATE INDEX judgements_by_state ON judgements (state, id);
    CREATE INDEX judgements_by_user ON judgements (user_id, id)
    """,
)
"""Migration scripts from each format to the next, starting from an empty database."""
