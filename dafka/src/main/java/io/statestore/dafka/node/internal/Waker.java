package io.statestore.dafka.node.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.zeromq.ZMQ;

/**
 * Puts the thread of a node to sleep until a socket is ready, another thread wakes it, or
 * a time has passed. Waking costs at most one system call for each sleep, even if several
 * threads wake it.
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

	/** Wakes the thread if it sleeps or is about to. Called by any thread. */
	void wake() {
		if (this.asleep.get() && this.asleep.compareAndSet(true, false)) {
			this.selector.wakeup();
		}
	}

	/**
	 * Announces a sleep. From now on, {@link #wake} prevents or ends it. The thread must
	 * check its queues once more before it sleeps.
	 */
	void aboutToSleep() {
		this.asleep.set(true);
	}

	/**
	 * Sleeps. Must be called after {@link #aboutToSleep}.
	 * @param nanos maximum duration
	 * @param ignored a socket with messages that are left unread, or {@code null}
	 */
	void sleep(long nanos, ZMQ.@Nullable Socket ignored) {
		try {
			if (nanos > 0 && !isReady(ignored)) {
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

	/**
	 * Returns whether a socket is ready. A socket does not signal what it has already
	 * noticed, for example while sending.
	 */
	private boolean isReady(ZMQ.@Nullable Socket ignored) {
		for (ZMQ.Socket socket : this.sockets) {
			// This also reads the signal, which would otherwise end the sleep at once.
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
