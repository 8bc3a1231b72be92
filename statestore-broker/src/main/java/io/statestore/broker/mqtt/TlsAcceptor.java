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
 * computed on threads of their own, so that those of many connections do not delay the
 * packets of others. Thread-safe.
 */
final class TlsAcceptor implements AutoCloseable {

	/**
	 * Estimated heap of a TLS connection in addition to one without TLS, in bytes, with a
	 * record that has arrived in part. Also the memory of a connection during its
	 * handshake.
	 */
	static final int CONNECTION_COST = 40 * 1024;

	/** Time for the last TLS record to be sent before a connection is closed. */
	private static final long CLOSE_TIMEOUT_MILLIS = 1_000;

	/** Number of waiting computations from which no connection is accepted. */
	private static final int MAX_WAITING = 32;

	/** Number of waiting computations from which connections are accepted again. */
	private static final int FEW_WAITING = 8;

	private final ServerTls tls;

	private final ThreadPoolExecutor threads;

	private final LongAdder failures = new LongAdder();

	private volatile @Nullable Channel socket;

	TlsAcceptor(ServerTls tls) {
		this.tls = tls;
		// Half of the processors remain for connections that are established.
		int count = Math.max(1, NettyRuntime.availableProcessors() / 2);
		this.threads = new ThreadPoolExecutor(count, count, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				new DefaultThreadFactory("statestore-tls", true));
		this.threads.allowCoreThreadTimeOut(true);
	}

	/**
	 * Sets the listening socket, which is suspended while too many handshakes wait.
	 * @param socket the socket
	 */
	void setSocket(Channel socket) {
		this.socket = socket;
	}

	/** Computes a part of a handshake on one of the threads. */
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
		// If the queue has drained meanwhile, no computation is left to resume the
		// socket.
		if (this.threads.getQueue().size() < MAX_WAITING) {
			socket.config().setAutoRead(true);
		}
	}

	/**
	 * Adds the TLS handlers of a client.
	 * @throws RuntimeException if no certificate is available
	 */
	void secure(Channel channel, OpenConnection connection) {
		// The JDK decrypts a direct buffer without the instructions of the processor.
		channel.config().setAllocator(new PreferHeapByteBufAllocator(channel.alloc()));
		LingeringClose closing = new LingeringClose();
		TlsEvents events = new TlsEvents(connection, this::compute, () -> {
			this.failures.increment();
			closing.handshakeFailed();
		});
		ServerSslHandler handler = new ServerSslHandler(this.tls.newEngine(), events);
		// The time for handshake and CONNECT together is limited by ConnectGuard.
		handler.setHandshakeTimeoutMillis(0);
		handler.setCloseNotifyFlushTimeoutMillis(CLOSE_TIMEOUT_MILLIS);
		channel.pipeline().addLast(closing, handler, events);
	}

	/** Returns the number of failed handshakes. */
	long failures() {
		return this.failures.sum();
	}

	/** Ends the threads. To be called after the end of all connections. */
	@Override
	public void close() {
		this.threads.shutdownNow();
	}

}
