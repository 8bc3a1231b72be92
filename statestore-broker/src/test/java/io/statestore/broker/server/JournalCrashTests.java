package io.statestore.broker.server;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;

import io.statestore.broker.storage.Fsync;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A store with a directory and a journal, which end together in random ways. */
class JournalCrashTests {

	private static final int KEYS = 30;

	@Test
	void journalEqualsStoreAfterEachRestart() {
		// Many in the nightly build.
		for (int seed = 1; seed <= Integer.getInteger("test.seeds", 5); seed++) {
			run(seed);
		}
	}

	private static void run(long seed) {
		Random random = new Random(seed);
		TestJournal journal = new TestJournal();
		try (RestartableStore store = new RestartableStore(seed)) {
			store.journal = journal;
			store.minLogBytes = 2_000;
			store.with(random.nextBoolean() ? Fsync.ALWAYS : Fsync.NEVER);
			for (int round = 0; round < 15; round++) {
				if (random.nextInt(6) == 0) {
					store.close();
					store.journal = random.nextBoolean() ? journal : null;
				}
				change(store.connect("client"), random);
				end(store, journal, random);
				store.journal = journal;
				store.server();
				Map<Bytes, Bytes> content = content(store.connect("reader"));
				await("the content with seed " + seed)
					.until(() -> !journal.isAfterGap() && journal.last() != null && journal.rebuild().equals(content));
			}
			assertThat(journal.changes()).isNotEmpty();
		}
	}

	private static void change(RecordingConnection client, Random random) {
		int count = random.nextInt(100);
		for (int i = 0; i < count; i++) {
			Bytes key = Bytes.of("k" + random.nextInt(KEYS));
			client.call((random.nextInt(4) == 0) ? new Command.Del(key)
					: new Command.Set(key, Bytes.of("v" + random.nextInt())));
		}
	}

	/** Ends the server. A failure of the machine also removes unforced changes. */
	private static void end(RestartableStore store, TestJournal journal, Random random) {
		if (random.nextInt(4) == 0) {
			store.close();
		}
		else if (random.nextBoolean()) {
			store.disk.kill();
			store.close();
		}
		else {
			store.disk.cutPower();
			store.close();
			int written = journal.written.size();
			int forced = Math.min(journal.forced, written);
			journal.truncate(forced + random.nextInt(written - forced + 1));
		}
	}

	private static Map<Bytes, Bytes> content(RecordingConnection client) {
		Map<Bytes, Bytes> content = new HashMap<>();
		for (int i = 0; i < KEYS; i++) {
			Bytes key = Bytes.of("k" + i);
			if (client.call(new Command.Get(key)).reply() instanceof Reply.Value value) {
				content.put(key, value.value());
			}
		}
		return content;
	}

}
