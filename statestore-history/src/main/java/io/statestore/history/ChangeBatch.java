package io.statestore.history;

import java.util.ArrayList;
import java.util.List;

import io.statestore.dafka.Bytes;
import io.statestore.protocol.Administration;
import io.statestore.protocol.StoredChange.Operation;
import io.statestore.protocol.StoredChange;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Changes to publish together, and the version after which the history continues. While
 * the batch ends within the store's content, this is the version before the content,
 * because content can be read only from its beginning. Not thread-safe.
 */
final class ChangeBatch {

	private static final int MAX_RECORDS = 1_000;

	private static final int MAX_BYTES = 256 << 10;

	private List<Bytes> records = new ArrayList<>();

	private int bytes;

	private @Nullable Version position;

	/**
	 * Greatest version in the current content, whose end is not known yet; {@code null}
	 * outside content.
	 */
	private @Nullable Version content;

	/** Whether a gap must precede the next change. */
	private boolean repeated;

	/**
	 * Creates an empty batch.
	 * @param position the version after which the first change follows
	 * @param published whether anything was published before. Without a position, this
	 * was only content, which begins again after a gap, because keys may have been
	 * deleted since
	 */
	ChangeBatch(@Nullable Version position, boolean published) {
		this.position = position;
		this.repeated = published && position == null;
	}

	void add(StoredChange change) {
		boolean gap = this.repeated && change.operation() != Operation.GAP;
		this.repeated = false;
		if (gap) {
			add(new StoredChange(Operation.GAP, io.statestore.protocol.Bytes.EMPTY, io.statestore.protocol.Bytes.EMPTY,
					change.version(), null, null));
		}
		if (change.operation() == Operation.GAP || change.operation() == Operation.PRESENT) {
			this.content = greater(this.content, change.version());
		}
		else {
			this.content = null;
			this.position = change.version();
		}
		byte[] record = Administration.encodeItem(change);
		this.records.add(Bytes.wrap(record));
		this.bytes += record.length;
	}

	/** Records that the history has no more changes. */
	void end() {
		if (this.content != null) {
			this.position = greater(this.position, this.content);
			this.content = null;
		}
	}

	private static Version greater(@Nullable Version one, Version other) {
		return (one != null && one.compareTo(other) > 0) ? one : other;
	}

	boolean isFull() {
		return this.records.size() >= MAX_RECORDS || this.bytes >= MAX_BYTES;
	}

	/** Returns the version after which the history continues. */
	@Nullable Version position() {
		return this.position;
	}

	/** Returns the records, and removes them from the batch. */
	List<Bytes> take() {
		List<Bytes> taken = this.records;
		this.records = new ArrayList<>();
		this.bytes = 0;
		return taken;
	}

}
