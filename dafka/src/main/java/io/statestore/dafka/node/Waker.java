package io.statestore.dafka.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ends the waiting of a node's thread, from any thread. However many wake it, at most one
 * byte is written for each time it waits.
 */
public final class Waker implements AutoCloseable {

	private final Pipe pipe;

	private final AtomicBoolean asleep = new AtomicBoolean();

	private final ByteBuffer drained = ByteBuffer.allocate(16);

	Waker() {
		try {
			this.pipe = Pipe.open();
			this.pipe.source().configureBlocking(false);
			this.pipe.sink().configureBlocking(false);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Wakes the thread if it waits or is about to. */
	public void wake() {
		if (this.asleep.get() && this.asleep.compareAndSet(true, false)) {
			try {
				this.pipe.sink().write(ByteBuffer.wrap(new byte[1]));
			}
			catch (IOException ex) {
				// Closed: there is nobody to wake any more.
			}
		}
	}

	/** From here on it is woken; what was queued before must be looked at once more. */
	void aboutToSleep() {
		this.asleep.set(true);
	}

	void awake() {
		this.asleep.set(false);
		try {
			while (this.pipe.source().read(this.drained) > 0) {
				this.drained.clear();
			}
			this.drained.clear();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	SelectableChannel channel() {
		return this.pipe.source();
	}

	@Override
	public void close() {
		try {
			this.pipe.sink().close();
			this.pipe.source().close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
