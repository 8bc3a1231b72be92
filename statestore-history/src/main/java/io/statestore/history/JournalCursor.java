package io.statestore.history;

import java.util.ArrayDeque;
import java.util.Deque;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.Position;
import io.statestore.dafka.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Cursor that reads the journal of this process. */
final class JournalCursor implements Source.Cursor {

	private static final int MAX_RECORDS = 1_024;

	private static final int MAX_BYTES = 1 << 20;

	private final Journal journal;

	private final TopicPartition names;

	private final Deque<DafkaRecord> records = new ArrayDeque<>();

	private long next;

	private volatile boolean closed;

	JournalCursor(Journal journal, @Nullable Position from) {
		this.journal = journal;
		this.names = journal.key().names();
		if (from != null && !new TopicPartition(from.topic(), from.partition()).equals(this.names)) {
			throw new HistoryException("The position " + from + " does not belong to this journal, whose topic is '"
					+ this.names.topic() + "' and whose partition is " + this.names.partition());
		}
		this.next = (from != null) ? from.offset() : 0;
		if (this.next > journal.next()) {
			throw new HistoryException("The position " + from + " is beyond the end: the journal has only "
					+ journal.next() + " changes. It has lost its end, or the position belongs to another journal");
		}
	}

	@Override
	public @Nullable DafkaRecord next(long nanos) throws InterruptedException {
		if (this.records.isEmpty()) {
			read();
		}
		if (this.records.isEmpty() && nanos > 0) {
			this.journal.await(this.next, nanos, () -> this.closed);
			read();
		}
		return this.records.poll();
	}

	private void read() {
		if (this.closed || this.journal.isClosed()) {
			throw new HistoryException("The stream is closed: open the changes again to continue");
		}
		long[] bytes = new long[1];
		this.journal.read(this.next, (sequence, content) -> {
			this.records
				.add(new DafkaRecord(this.names.topic(), this.names.partition(), sequence, Bytes.wrap(content)));
			this.next = sequence + 1;
			bytes[0] += content.length;
			return this.records.size() < MAX_RECORDS && bytes[0] < MAX_BYTES;
		});
	}

	@Override
	public long end() {
		return this.journal.next();
	}

	@Override
	public void close() {
		this.closed = true;
		this.journal.wake();
	}

}
