package io.statestore.dafka.reading.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.statestore.dafka.ReadingOptions;

/** Fixture with a reader and a sink, for tests that pass in the time. */
abstract class PartitionReaderFixture {

	static final long MILLIS = 1_000_000;

	static final ReadingOptions OPTIONS = new ReadingOptions(16, 1_000, Duration.ofMillis(10), Duration.ofMillis(100));

	final Sink sink = new Sink();

	PartitionReader reader = new PartitionReader(OPTIONS, 0, this.sink, new ReadingBudget(2_000));

	void publish(long... sequences) {
		for (long sequence : sequences) {
			this.reader.published(sequence, new byte[0], 0);
		}
	}

	void fetched(long now, long... sequences) {
		for (long sequence : sequences) {
			this.reader.fetched(sequence, new byte[0], now);
		}
	}

	static final class Sink implements PartitionReader.Sink {

		final List<Long> delivered = new ArrayList<>();

		final List<String> lost = new ArrayList<>();

		final List<Long> missing = new ArrayList<>();

		boolean full;

		boolean permitsLoss = true;

		@Override
		public boolean permitsLoss(int responders, long waited, long now) {
			return this.permitsLoss;
		}

		@Override
		public boolean accept(long sequence, byte[] content) {
			if (!this.full) {
				this.delivered.add(sequence);
			}
			return !this.full;
		}

		@Override
		public void lost(long first, long last) {
			this.lost.add(first + "-" + last);
		}

		@Override
		public void missing(long first) {
			this.missing.add(first);
		}

	}

}
