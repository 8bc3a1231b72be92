package io.statestore.dafka.reading.internal;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;

import io.statestore.dafka.ReadingOptions;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A reader behind a network that loses, repeats, and reorders messages, in virtual time.
 * In the end, each record must have arrived once and in order.
 */
class ReaderSimulationTests {

	private static final long MILLIS = 1_000_000;

	@Property(tries = 300)
	void deliversEveryRecordOnceAndInOrder(@ForAll Random random, @ForAll @IntRange(min = 1, max = 400) int records,
			@ForAll @IntRange(min = 0, max = 60) int lossPercent,
			@ForAll @IntRange(min = 0, max = 50) int delayMillis) {
		new Simulation(random, records, lossPercent, delayMillis).run();
	}

	private static final class Simulation implements PartitionReader.Sink {

		private final Random random;

		private final int records;

		private final int lossPercent;

		private final int delayMillis;

		private final List<Long> delivered = new ArrayList<>();

		private final PriorityQueue<Event> events = new PriorityQueue<>();

		private final PartitionReader reader = new PartitionReader(
				new ReadingOptions(32, 10_000, Duration.ofMillis(20), Duration.ofSeconds(60)), 0, this,
				new ReadingBudget(10_000));

		private long now;

		private boolean refused;

		Simulation(Random random, int records, int lossPercent, int delayMillis) {
			this.random = random;
			this.records = records;
			this.lossPercent = lossPercent;
			this.delayMillis = delayMillis;
		}

		void run() {
			for (int i = 0; i < this.records; i++) {
				record(i * MILLIS, i, false);
			}
			for (int i = 0; this.delivered.size() < this.records; i++) {
				assertThat(i).as("turns").isLessThan(1_000_000);
				turn();
			}
			assertThat(this.delivered).doesNotHaveDuplicates().isSorted().hasSize(this.records);
		}

		private void turn() {
			FetchRange range = this.reader.fetch(this.now);
			if (range != null) {
				// One more record than requested, like the reference implementation.
				for (long next = range.first(); next <= Math.min(range.first() + range.count(),
						this.records - 1); next++) {
					record(this.now, next, true);
				}
				return;
			}
			Event event = this.events.poll();
			if (event == null) {
				this.now = this.now + 10 * MILLIS;
				this.reader.publishedHead(this.records - 1, this.now);
			}
			else {
				this.now = Math.max(this.now, event.at());
				event.action().run();
			}
			if (this.refused && this.random.nextInt(10) < 7) {
				this.refused = false;
				this.reader.resume(this.now);
			}
		}

		private void record(long sentAt, long sequence, boolean direct) {
			byte[] content = ByteBuffer.allocate(Long.BYTES).putLong(sequence).array();
			for (int copies = 1 + this.random.nextInt(20) / 19; copies > 0; copies--) {
				if (this.random.nextInt(100) >= this.lossPercent) {
					long at = sentAt + (long) (this.random.nextDouble() * this.delayMillis * MILLIS);
					this.events.add(new Event(at, this.events.size(), () -> {
						if (direct) {
							this.reader.fetched(sequence, content, this.now);
						}
						else {
							this.reader.published(sequence, content, this.now);
						}
					}));
				}
			}
		}

		@Override
		public boolean accept(long sequence, byte[] content) {
			assertThat(ByteBuffer.wrap(content).getLong()).isEqualTo(sequence);
			this.refused = this.random.nextInt(10) == 0;
			if (!this.refused) {
				this.delivered.add(sequence);
			}
			return !this.refused;
		}

		@Override
		public void lost(long first, long last) {
			throw new AssertionError("Nothing is lost for good here");
		}

		private record Event(long at, int order, Runnable action) implements Comparable<Event> {

			@Override
			public int compareTo(Event other) {
				return (this.at != other.at) ? Long.compare(this.at, other.at)
						: Integer.compare(this.order, other.order);
			}

		}

	}

}
