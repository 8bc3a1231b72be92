package io.statestore.dafka.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.zeromq.ZMQ;

/**
 * Wait of the thread of a node, until a socket is ready, another thread wakes it, or a
 * deadline has passed. Each wait costs at most one system call, even if several threads
 * wake it.
 */
final class Waker implements AutoCloseable {

	private final Selector selector;

	private final List<ZMQ.Socket> sockets;

	private final AtomicBoolean asleep = new AtomicBoolean();

	Waker(List<ZMQ.Socket> sockets) {
		this.sockets = sockets;
		try {
			this.selector = Selector.open();
			for (ZMQ.Socket socket : sockets) {
				socket.getFD().register(this.selector, SelectionKey.OP_READ);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Wakes the thread if it waits or is about to. From any thread. */
	void wake() {
		if (this.asleep.get() && this.asleep.compareAndSet(true, false)) {
			this.selector.wakeup();
		}
	}

	/** From here on it is woken; what was queued before must be looked at once more. */
	void aboutToSleep() {
		this.asleep.set(true);
	}

	/**
	 * Waits, to be called after {@link #aboutToSleep}.
	 * @param ignored a socket with messages that are left unread, or {@code null}
	 */
	void sleep(long nanos, ZMQ.@Nullable Socket ignored) {
		try {
			if (nanos > 0 && !isSomethingThere(ignored)) {
				this.selector.select((key) -> {
				}, (nanos + 999_999) / 1_000_000);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			this.asleep.set(false);
		}
	}

	/** What a socket noticed in passing, such as while sending, it does not signal. */
	private boolean isSomethingThere(ZMQ.@Nullable Socket ignored) {
		for (ZMQ.Socket socket : this.sockets) {
			// Also reads what would otherwise keep the selector awake.
			boolean readable = (socket.getEvents() & ZMQ.Poller.POLLIN) != 0;
			if (readable && socket != ignored) {
				return true;
			}
		}
		return false;
	}

	@Override
	public void close() {
		try {
			this.selector.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
