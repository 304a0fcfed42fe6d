BEGIN TRANSACTION;
CREATE TABLE attempts (
    skill TEXT NOT NULL, task TEXT NOT NULL, student TEXT NOT NULL, trial INTEGER NOT NULL,
    outcome TEXT, task_id TEXT, hard, soft, feedback TEXT, error TEXT, usage TEXT, trajectory TEXT, stage TEXT,
    PRIMARY KEY (skill, task, student, trial)
) WITHOUT ROWID;
INSERT INTO "attempts" VALUES('d1','7b38cc52aa9da6cecfa53f332bd72b72c212a4cda0268b67de16276be836d260','a-student',1,'failed','s1',0.0,0.75,'s1 went so-so',NULL,'{"input_tokens":120,"output_tokens":8,"calls":2,"usd":0.0025}',NULL,NULL);
INSERT INTO "attempts" VALUES('d1','7b38cc52aa9da6cecfa53f332bd72b72c212a4cda0268b67de16276be836d260','a-student',2,'failed','s1',0.0,0.75,'s1 went so-so',NULL,'{"input_tokens":120,"output_tokens":8,"calls":2,"usd":0.0025}',NULL,NULL);
INSERT INTO "attempts" VALUES('d1','b9625fda0cfa3a10bba43fe53bf0e64a46f189c8bf558355abb9d8df791ce2d6','a-student',1,'failed','s2',0.0,0.75,'s2 went so-so',NULL,'{"input_tokens":120,"output_tokens":8,"calls":2,"usd":0.0025}',NULL,NULL);
INSERT INTO "attempts" VALUES('d1','b9625fda0cfa3a10bba43fe53bf0e64a46f189c8bf558355abb9d8df791ce2d6','a-student',2,'failed','s2',0.0,0.75,'s2 went so-so',NULL,'{"input_tokens":120,"output_tokens":8,"calls":2,"usd":0.0025}',NULL,NULL);
INSERT INTO "attempts" VALUES('d2','7b38cc52aa9da6cecfa53f332bd72b72c212a4cda0268b67de16276be836d260','a-student',1,'failed','s1',0.0,0.25,'s1 went so-so',NULL,'{"input_tokens":120,"output_tokens":8,"calls":2,"usd":0.0025}',NULL,NULL);
INSERT INTO "attempts" VALUES('d2','7b38cc52aa9da6cecfa53f332bd72b72c212a4cda0268b67de16276be836d260','a-student',2,'failed','s1',0.0,0.25,'s1 went so-so',NULL,'{"input_tokens":120,"output_tokens":8,"calls":2,"usd":0.0025}',NULL,NULL);
INSERT INTO "attempts" VALUES('d2','b9625fda0cfa3a10bba43fe53bf0e64a46f189c8bf558355abb9d8df791ce2d6','a-student',1,'failed','s2',0.0,0.25,'s2 went so-so',NULL,'{"input_tokens":120,"output_tokens":8,"calls":2,"usd":0.0025}',NULL,NULL);
INSERT INTO "attempts" VALUES('d2','b9625fda0cfa3a10bba43fe53bf0e64a46f189c8bf558355abb9d8df791ce2d6','a-student',2,'failed','s2',0.0,0.25,'s2 went so-so',NULL,'{"input_tokens":120,"output_tokens":8,"calls":2,"usd":0.0025}',NULL,NULL);
INSERT INTO "attempts" VALUES('d3','7b38cc52aa9da6cecfa53f332bd72b72c212a4cda0268b67de16276be836d260','a-student',1,'failed','s1',0.0,0.5,'s1 went so-so',NULL,'{"input_tokens":120,"output_tokens":8,"calls":2,"usd":0.0025}',NULL,NULL);
INSERT INTO "attempts" VALUES('d3','7b38cc52aa9da6cecfa53f332bd72b72c212a4cda0268b67de16276be836d260','a-student',2,'failed','s1',0.0,0.5,'s1 went so-so',NULL,'{"input_tokens":120,"output_tokens":8,"calls":2,"usd":0.0025}',NULL,NULL);
INSERT INTO "attempts" VALUES('d3','b9625fda0cfa3a10bba43fe53bf0e64a46f189c8bf558355abb9d8df791ce2d6','a-student',1,'failed','s2',0.0,0.5,'s2 went so-so',NULL,'{"input_tokens":120,"output_tokens":8,"calls":2,"usd":0.0025}',NULL,NULL);
INSERT INTO "attempts" VALUES('d3','b9625fda0cfa3a10bba43fe53bf0e64a46f189c8bf558355abb9d8df791ce2d6','a-student',2,'failed','s2',0.0,0.5,'s2 went so-so',NULL,'{"input_tokens":120,"output_tokens":8,"calls":2,"usd":0.0025}',NULL,NULL);
CREATE TABLE calls (
    model TEXT NOT NULL, request TEXT NOT NULL, trial INTEGER NOT NULL, answer TEXT NOT NULL, usage TEXT,
    PRIMARY KEY (model, request, trial)
) WITHOUT ROWID;
CREATE TABLE evaluations (
    number INTEGER PRIMARY KEY, skill TEXT NOT NULL, split TEXT NOT NULL, purpose TEXT NOT NULL,
    estimate TEXT NOT NULL, counted TEXT NOT NULL,
    UNIQUE (skill, split, purpose)
);
INSERT INTO "evaluations" VALUES(1,'d1','selection','gate','{"mean":0.75,"low":0.0,"high":1.0,"n":4,"tasks":2}','{"s1":[1.5,2,0],"s2":[1.5,2,0]}');
INSERT INTO "evaluations" VALUES(2,'d2','selection','gate','{"mean":0.25,"low":0.0,"high":1.0,"n":4,"tasks":2}','{"s1":[0.5,2,0],"s2":[0.5,2,0]}');
INSERT INTO "evaluations" VALUES(3,'d3','selection','gate','{"mean":0.5,"low":0.0,"high":1.0,"n":4,"tasks":2}','{"s1":[1.0,2,0],"s2":[1.0,2,0]}');
CREATE TABLE events (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, data TEXT NOT NULL, at REAL NOT NULL);
INSERT INTO "events" VALUES(1,'start','{"kind":"start","skill":"d0"}',100.0);
INSERT INTO "events" VALUES(3,'gate','{"kind":"gate","step":1,"candidate":"d1","parent":"d0","edits":[{"edit":{"op":"append","target":"","content":"- rule d1","support_count":1,"source_type":"","merge_level":0},"status":"applied_append","reason":"","witness":null}],"verdict":{"gate":"race","decision":"better","reason":"because","pairs":4,"difference":null},"rollouts":4}',120.0);
INSERT INTO "events" VALUES(5,'gate','{"kind":"gate","step":2,"candidate":"d2","parent":"d1","edits":[{"edit":{"op":"append","target":"","content":"- rule d2","support_count":1,"source_type":"","merge_level":0},"status":"applied_append","reason":"","witness":null}],"verdict":{"gate":"race","decision":"not better","reason":"because","pairs":4,"difference":null},"rollouts":8}',140.0);
INSERT INTO "events" VALUES(7,'gate','{"kind":"gate","step":3,"candidate":"d3","parent":"d1","edits":[{"edit":{"op":"append","target":"","content":"- rule d3","support_count":1,"source_type":"","merge_level":0},"status":"applied_append","reason":"","witness":null}],"verdict":{"gate":"race","decision":"not enough data","reason":"because","pairs":4,"difference":null},"rollouts":12}',160.0);
INSERT INTO "events" VALUES(8,'stop','{"kind":"stop","reason":"budget"}',190.0);
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "facts" VALUES('config','{"settings":{"seed":1}}');
INSERT INTO "facts" VALUES('in flight','[]');
INSERT INTO "facts" VALUES('result','{"skill":"# Skill\n- rule d1\n","digest":"d1","selection":{"mean":0.75,"low":0.4,"high":0.95,"n":4,"tasks":2},"test":null,"gain":null,"rollouts":12,"reason":"the budget is spent","history":[]}');
INSERT INTO "facts" VALUES('seconds','0.0');
CREATE TABLE proposals (
    teacher TEXT NOT NULL, question TEXT NOT NULL, trial INTEGER NOT NULL,
    outcome TEXT, edits TEXT, usage TEXT, error TEXT, stage TEXT,
    PRIMARY KEY (teacher, question, trial)
) WITHOUT ROWID;
INSERT INTO "proposals" VALUES('a-teacher','2d5de94c0a2f735a5aaa0863fd80ad3f65083d6a1fed779adcb5f0d33dc82b59',1,'answered','[{"op":"append","target":"","content":"- rule d1","support_count":1,"source_type":"","merge_level":0}]',NULL,NULL,NULL);
CREATE TABLE versions (
    number INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, parent TEXT, text TEXT NOT NULL,
    edits TEXT NOT NULL, status TEXT NOT NULL
);
INSERT INTO "versions" VALUES(1,'d0',NULL,'# Skill
','[]','start');
INSERT INTO "versions" VALUES(2,'d1','d0','# Skill
- rule d1
','[{"edit":{"op":"append","target":"","content":"- rule d1","support_count":1,"source_type":"","merge_level":0},"status":"applied_append","reason":"","witness":null}]','accepted');
INSERT INTO "versions" VALUES(3,'d2','d1','# Skill
- rule d2
','[{"edit":{"op":"append","target":"","content":"- rule d2","support_count":1,"source_type":"","merge_level":0},"status":"applied_append","reason":"","witness":null}]','rejected');
INSERT INTO "versions" VALUES(4,'d3','d1','# Skill
- rule d3
','[{"edit":{"op":"append","target":"","content":"- rule d3","support_count":1,"source_type":"","merge_level":0},"status":"applied_append","reason":"","witness":null}]','rejected');
COMMIT;
