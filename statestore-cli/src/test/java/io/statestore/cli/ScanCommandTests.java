package io.statestore.cli;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.client.Key;
import io.statestore.client.KeyScan;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ScanCommandTests {

	@ParameterizedTest
	@CsvSource({ "1, 201", "7, 29", "100, 3", "200, 2", "201, 1" })
	void scansAgainOnlyIfKeysExceedMemory(int max, int scans) {
		List<Key> keys = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			keys.add(Key.of("k" + i));
		}
		Collections.shuffle(keys, new Random(1));
		AtomicInteger counter = new AtomicInteger();
		KeyScan scan = () -> {
			counter.incrementAndGet();
			return keys.iterator();
		};
		assertThat(ScanCommand.sorted(scan, max, ScanCommand.MAX_BYTES)).hasSize(200)
			.isSorted()
			.containsExactlyInAnyOrderElementsOf(keys);
		assertThat(counter).hasValue(scans);
	}

	@ParameterizedTest
	@CsvSource({ "1, 201", "700, 29", "10000, 3", "20000, 2", "20001, 1" })
	void scansAgainOnlyIfBytesExceedMemory(long maxBytes, int scans) {
		List<Key> keys = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			keys.add(Key.of("%0100d".formatted(i)));
		}
		Collections.shuffle(keys, new Random(1));
		AtomicInteger counter = new AtomicInteger();
		KeyScan scan = () -> {
			counter.incrementAndGet();
			return keys.iterator();
		};
		assertThat(ScanCommand.sorted(scan, 1000, maxBytes)).isSorted().containsExactlyInAnyOrderElementsOf(keys);
		assertThat(counter).hasValue(scans);
	}

	@Test
	void scansOnceForFirstKeys() {
		AtomicInteger counter = new AtomicInteger();
		KeyScan scan = () -> {
			counter.incrementAndGet();
			return List.of(Key.of("c"), Key.of("a"), Key.of("b")).iterator();
		};
		Iterator<Key> keys = ScanCommand.sorted(scan, 2, ScanCommand.MAX_BYTES).limit(2).iterator();
		assertThat(keys).toIterable().containsExactly(Key.of("a"), Key.of("b"));
		assertThat(counter).hasValue(1);
	}

	@Test
	void comparesBytesAsUnsigned() {
		KeyScan scan = List.of(Key.of("ä"), Key.of("z"), Key.of("Z"), Key.of("z"))::iterator;
		assertThat(ScanCommand.sorted(scan, 10, ScanCommand.MAX_BYTES)).containsExactly(Key.of("Z"), Key.of("z"),
				Key.of("ä"));
		assertThat(ScanCommand.sorted(Collections::emptyIterator, 10, 10)).isEmpty();
	}

}
