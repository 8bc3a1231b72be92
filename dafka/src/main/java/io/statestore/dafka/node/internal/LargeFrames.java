package io.statestore.dafka.node.internal;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/**
 * Limits the memory of large frames that have begun to arrive. JeroMQ allocates a frame
 * as soon as nine bytes announce its length. Frames of lost connections count until they
 * are garbage-collected.
 */
final class LargeFrames {

	/** Minimum size of a large frame, in bytes. */
	static final int LARGE = 64 << 10;

	private final long maxBytes;

	private final List<WeakReference<GuardedMessage>> arriving = new ArrayList<>();

	LargeFrames(long maxBytes) {
		this.maxBytes = maxBytes;
	}

	/** Returns whether there is room for another frame of this size. */
	boolean hasRoom(int size) {
		long total = size;
		for (int i = this.arriving.size() - 1; i >= 0; i--) {
			GuardedMessage frame = this.arriving.get(i).get();
			if (frame == null || frame.isComplete()) {
				this.arriving.remove(i);
			}
			else {
				total += frame.size();
			}
		}
		return total <= this.maxBytes;
	}

	/** Adds a frame that is going to arrive. */
	void add(GuardedMessage frame) {
		this.arriving.add(new WeakReference<>(frame));
	}

}
