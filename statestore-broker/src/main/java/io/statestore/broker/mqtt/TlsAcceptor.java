package io.statestore.broker.mqtt;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import io.netty.channel.Channel;
import io.netty.channel.PreferHeapByteBufAllocator;
import io.netty.util.NettyRuntime;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.statestore.broker.mqtt.ConnectionCounts.OpenConnection;
import io.statestore.broker.security.ServerTls;
import org.jspecify.annotations.Nullable;

/**
 * Server side of TLS. Adds handlers to the pipelines of new connections. Handshakes are
 * computed on separate threads, so that many handshakes do not delay other clients'
 * packets. Thread-safe.
 */
final class TlsAcceptor implements AutoCloseable {

	/**
	 * Estimated heap that TLS adds to a connection, in bytes, including a record that has
	 * partly arrived. Also the memory of a connection during its handshake.
	 */
	static final int CONNECTION_COST = 40 * 1024;

	/**
	 * How long to wait for the last TLS record to be sent before a connection is closed.
	 */
	private static final long CLOSE_TIMEOUT_MILLIS = 1_000;

	/** Number of waiting computations at which connections are no longer accepted. */
	private static final int MAX_WAITING = 32;

	/** Number of waiting computations at which connections are accepted again. */
	private static final int FEW_WAITING = 8;

	private final ServerTls tls;

	private final ThreadPoolExecutor threads;

	private final LongAdder failures = new LongAdder();

	private volatile @Nullable Channel socket;

	TlsAcceptor(ServerTls tls) {
		this.tls = tls;
		// Leaves half of the processors for established connections.
		int count = Math.max(1, NettyRuntime.availableProcessors() / 2);
		this.threads = new ThreadPoolExecutor(count, count, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				new DefaultThreadFactory("statestore-tls", true));
		this.threads.allowCoreThreadTimeOut(true);
	}

	/**
	 * Sets the listening socket, which is suspended while too many handshakes are
	 * waiting.
	 */
	void setSocket(Channel socket) {
		this.socket = socket;
	}

	/** Computes part of a handshake on one of the threads. */
	private void compute(Runnable task) {
		this.threads.execute(() -> {
			try {
				task.run();
			}
			finally {
				updateAccepting();
			}
		});
		updateAccepting();
	}

	/** Suspends or resumes the listening socket if necessary. */
	private void updateAccepting() {
		Channel socket = this.socket;
		int waiting = this.threads.getQueue().size();
		if (socket != null && (socket.config().isAutoRead() ? waiting >= MAX_WAITING : waiting <= FEW_WAITING)) {
			try {
				socket.eventLoop().execute(() -> suspendOrResume(socket));
			}
			catch (RejectedExecutionException ex) {
				// The broker is stopping.
			}
		}
	}

	private void suspendOrResume(Channel socket) {
		if (this.threads.getQueue().size() >= MAX_WAITING) {
			socket.config().setAutoRead(false);
		}
		// If the queue has drained in the meantime, no computation is left to resume the
		// socket.
		if (this.threads.getQueue().size() < MAX_WAITING) {
			socket.config().setAutoRead(true);
		}
	}

	/**
	 * Adds the TLS handlers for a client.
	 * @throws RuntimeException if no certificate is available
	 */
	void secure(Channel channel, OpenConnection connection) {
		// The JDK decrypts direct buffers without using the processor's special
		// instructions.
		channel.config().setAllocator(new PreferHeapByteBufAllocator(channel.alloc()));
		LingeringClose closing = new LingeringClose();
		TlsEvents events = new TlsEvents(connection, this::compute, () -> {
			this.failures.increment();
			closing.handshakeFailed();
		});
		ServerSslHandler handler = new ServerSslHandler(this.tls.newEngine(), events);
		// ConnectGuard limits the total time for handshake and CONNECT.
		handler.setHandshakeTimeoutMillis(0);
		handler.setCloseNotifyFlushTimeoutMillis(CLOSE_TIMEOUT_MILLIS);
		channel.pipeline().addLast(closing, handler, events);
	}

	/** Returns the number of failed handshakes. */
	long failures() {
		return this.failures.sum();
	}

	/** Stops the threads. Must be called after all connections have ended. */
	@Override
	public void close() {
		this.threads.shutdownNow();
	}

}
