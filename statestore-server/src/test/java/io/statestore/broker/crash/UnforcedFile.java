package io.statestore.broker.crash;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import org.jspecify.annotations.Nullable;

/**
 * A file's content on the disk, and changes that were not forced. A power failure leaves
 * any of these changes, and any sectors of each change.
 */
final class UnforcedFile {

	private static final int SECTOR = 512;

	private byte[] content;

	private int size;

	private final List<Change> changes = new ArrayList<>();

	UnforcedFile(byte[] content) {
		this.content = content;
		this.size = content.length;
	}

	/** A write at an offset, or a new size if there is no data. */
	private record Change(long sequence, long offset, byte[] data, boolean isTruncation) {
	}

	void write(long sequence, long offset, byte[] data) {
		this.changes.add(new Change(sequence, offset, data, false));
	}

	void truncate(long sequence, long size) {
		this.changes.add(new Change(sequence, size, new byte[0], true));
	}

	/** Applies all changes before a sequence number. */
	void force(long before) {
		List<Change> forced = this.changes.stream().filter((change) -> change.sequence < before).toList();
		forced.forEach((change) -> apply(change, 0, change.data.length));
		this.changes.removeAll(forced);
	}

	/**
	 * Applies any of the changes before a sequence number. A later force does not cover
	 * the other changes, because the operating system reports a failed write once, and
	 * then treats the page as written.
	 */
	void failForce(long before, Random random) {
		List<Change> failed = this.changes.stream().filter((change) -> change.sequence < before).toList();
		applyAny(failed, random);
		this.changes.removeAll(failed);
	}

	/** Returns the content that a power failure leaves. */
	byte[] cut(Random random) {
		applyAny(this.changes, random);
		this.changes.clear();
		return Arrays.copyOf(this.content, this.size);
	}

	/**
	 * Applies all changes, no changes, the first changes, or any changes, and tears some
	 * writes.
	 */
	private void applyAny(List<Change> changes, Random random) {
		int kind = random.nextInt(4);
		int first = random.nextInt(changes.size() + 1);
		for (int i = 0; i < changes.size(); i++) {
			boolean applies = switch (kind) {
				case 0 -> false;
				case 1 -> i <= first;
				case 2 -> random.nextBoolean();
				default -> true;
			};
			if (applies) {
				boolean tears = kind == 2 || (kind == 1 && i == first);
				applyTorn(changes.get(i), tears ? random : null);
			}
		}
	}

	private void applyTorn(Change change, @Nullable Random random) {
		if (random == null || change.isTruncation) {
			apply(change, 0, change.data.length);
			return;
		}
		int from = 0;
		while (from < change.data.length) {
			// Sectors are aligned in the file.
			int to = (int) Math.min(change.data.length, ((change.offset + from) / SECTOR + 1) * SECTOR - change.offset);
			if (random.nextBoolean()) {
				apply(change, from, to);
			}
			from = to;
		}
	}

	private void apply(Change change, int from, int to) {
		if (change.isTruncation) {
			resize((int) change.offset);
			return;
		}
		int end = (int) change.offset + to;
		if (end > this.size) {
			resize(end);
		}
		System.arraycopy(change.data, from, this.content, (int) change.offset + from, to - from);
	}

	/** Changes the size. Added bytes are zeros. */
	private void resize(int newSize) {
		if (newSize > this.content.length) {
			this.content = Arrays.copyOf(this.content, Math.max(newSize, Math.min(2 * this.size, 1 << 28)));
		}
		if (newSize < this.size) {
			Arrays.fill(this.content, newSize, this.size, (byte) 0);
		}
		this.size = newSize;
	}

}
