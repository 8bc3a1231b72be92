package io.statestore.broker.engine;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KeySpaceTests {

	private KeySpace keys = new KeySpace(new KeyTable(1));

	private int versions;

	@Property(tries = 500)
	void everyKeyIsDueExactlyAtItsDeadline(@ForAll long seed) {
		Random random = new Random(seed);
		this.keys = new KeySpace(new KeyTable(seed));
		Map<Bytes, Long> expected = new HashMap<>();
		long now = 0;
		for (int i = 0; i < 200; i++) {
			Bytes key = Bytes.of("k" + random.nextInt(30));
			switch (random.nextInt(4)) {
				case 0, 1 -> {
					long deadline = now + 1 + (random.nextLong() >>> (24 + random.nextInt(40)));
					set(key, deadline);
					expected.put(key, deadline);
				}
				case 2 -> {
					remove(key);
					expected.remove(key);
				}
				default -> {
					now += random.nextLong() >>> (24 + random.nextInt(40));
					assertAdvances(now, expected, 1 + random.nextInt(20));
				}
			}
			long earliest = expected.values().stream().mapToLong(Long::longValue).min().orElse(KeySpace.NEVER);
			assertThat(millis(this.keys.nextDeadline())).isLessThanOrEqualTo(earliest);
		}
	}

	private void assertAdvances(long now, Map<Bytes, Long> expected, int limit) {
		do {
			List<Bytes> due = due(now, limit);
			assertThat(due).hasSizeLessThanOrEqualTo(limit);
			for (Bytes key : due) {
				assertThat(expected.remove(key)).isNotNull().isLessThanOrEqualTo(now);
				remove(key);
			}
		}
		while (millis(this.keys.nextDeadline()) <= now);
		assertThat(expected.values()).allMatch((deadline) -> deadline > now);
	}

	@Test
	void renewalsCauseFewWakeUps() {
		int wakeUps = 0;
		for (long now = 0; now < 100_000; now += 10) {
			for (int i = 0; i < 100; i++) {
				set(Bytes.of("k" + i), now + 5_000 + i);
			}
			while (millis(this.keys.nextDeadline()) <= now) {
				assertThat(due(now, 1_000)).isEmpty();
				wakeUps++;
			}
		}
		assertThat(wakeUps).isLessThan(100);
		assertThat(due(200_000, 1_000)).hasSize(100);
	}

	@Test
	void listsDueKeysUntilTheyAreRemoved() {
		set(Bytes.of("removed"), 10);
		set(Bytes.of("moved"), 10);
		set(Bytes.of("kept"), 10);
		assertThat(due(10, 10)).hasSize(3);
		remove(Bytes.of("removed"));
		set(Bytes.of("moved"), 20);
		assertThat(due(11, 10)).containsExactly(Bytes.of("kept"));
		set(Bytes.of("kept"), KeySpace.NEVER);
		set(Bytes.of("moved"), 15);
		assertThat(due(14, 10)).isEmpty();
		assertThat(due(15, 10)).containsExactly(Bytes.of("moved"));
	}

	private void set(Bytes key, long deadline) {
		Version version = new Version(1, this.versions++, VersionClock.NODE_ID);
		Entry entry = find(key);
		if (entry != null) {
			this.keys.change(entry, new byte[0], version, null, true, deadline);
		}
		else {
			Entry added = new Entry(this.keys.table().hash(key), key.toArray());
			added.change(new byte[0], version, null, true);
			this.keys.add(added, deadline);
		}
	}

	private void remove(Bytes key) {
		Entry entry = find(key);
		if (entry != null) {
			this.keys.remove(entry);
		}
	}

	private @Nullable Entry find(Bytes key) {
		return this.keys.table().find(this.keys.table().hash(key), key);
	}

	private List<Bytes> due(long millis, int limit) {
		return this.keys.due(TimeUnit.MILLISECONDS.toNanos(millis), limit);
	}

	private static long millis(long nanos) {
		return (nanos == Long.MAX_VALUE) ? KeySpace.NEVER : TimeUnit.NANOSECONDS.toMillis(nanos);
	}

}
