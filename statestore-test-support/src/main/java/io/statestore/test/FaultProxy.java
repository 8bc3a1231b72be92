package io.statestore.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * TCP proxy that injects network failures between clients and a server: it cuts
 * connections, even in the middle of a packet, refuses new connections, and discards or
 * delays data. Thread-safe.
 */
public final class FaultProxy implements AutoCloseable {

	private static final int CONNECT_TIMEOUT_MILLIS = 5_000;

	private static final int BUFFER_SIZE = 16 * 1024;

	private static final long STALL_POLL_NANOS = Duration.ofMillis(2).toNanos();

	private final Set<Link> links = ConcurrentHashMap.newKeySet();

	/** Links that discard data until the proxy is closed. */
	private final Set<Link> deadLinks = ConcurrentHashMap.newKeySet();

	private final ServerSocket server;

	private final InetSocketAddress target;

	private final AtomicInteger cuts = new AtomicInteger();

	/**
	 * Number of bytes that may still pass, in both directions together. Guarded by this.
	 */
	private long budget = Long.MAX_VALUE;

	private volatile boolean blocked;

	private volatile boolean discarding;

	private volatile boolean stalled;

	private volatile long delayNanos;

	/**
	 * Starts a proxy on a free port.
	 * @param targetPort the server's port on this machine
	 */
	public FaultProxy(int targetPort) {
		this(0, targetPort);
	}

	/**
	 * Starts a proxy.
	 * @param port port to listen on; 0 for any free port
	 * @param targetPort the server's port on this machine
	 */
	public FaultProxy(int port, int targetPort) {
		this(listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)),
				new InetSocketAddress(InetAddress.getLoopbackAddress(), targetPort));
	}

	private FaultProxy(ServerSocket server, InetSocketAddress target) {
		this.server = server;
		this.target = target;
		startDaemon(this::accept);
	}

	/**
	 * Starts a proxy in front of a server that announces its own port: both use the same
	 * port, on different addresses of this machine.
	 * @param host the proxy's loopback address, such as {@code 127.0.0.2}
	 * @param targetHost loopback address that the server will listen on
	 * @return the proxy; the same port is still free on the server's address
	 */
	public static FaultProxy withPortOfServer(String host, String targetHost) {
		int port = FreePorts.next();
		return new FaultProxy(listen(new InetSocketAddress(host, port)), new InetSocketAddress(targetHost, port));
	}

	private static ServerSocket listen(InetSocketAddress address) {
		return UncheckedIo.get(() -> new ServerSocket(address.getPort(), 50, address.getAddress()));
	}

	/**
	 * Returns the port that clients connect to.
	 * @return the bound port
	 */
	public int port() {
		return this.server.getLocalPort();
	}

	/** Closes all connections. New connections are accepted. */
	public void cut() {
		// Copied, because a client may reconnect while its earlier connection is being
		// closed.
		List.copyOf(this.links).forEach(Link::close);
	}

	/**
	 * Lets a number of bytes pass, discards the rest of the packet, and cuts all
	 * connections.
	 * @param bytes number of bytes for all connections, in both directions together
	 */
	public synchronized void cutAfter(long bytes) {
		this.budget = bytes;
	}

	/**
	 * Returns the number of times that {@link #cutAfter(long)} has taken effect.
	 * @return number since the start
	 */
	public int cuts() {
		return this.cuts.get();
	}

	/** Closes all connections and refuses new connections until {@link #unblock()}. */
	public void block() {
		this.blocked = true;
		cut();
	}

	/** Accepts connections again. */
	public void unblock() {
		this.blocked = false;
	}

	/** Discards all data from now on. Connections stay open. */
	public void discard() {
		this.discarding = true;
		this.links.forEach((link) -> link.discarding = true);
	}

	/** Ends {@link #discard()} and closes all connections, which have lost data. */
	public void heal() {
		this.discarding = false;
		cut();
	}

	/**
	 * Ends {@link #discard()} for new connections only. Existing connections discard data
	 * until the proxy is closed.
	 */
	public void healNewConnections() {
		this.discarding = false;
		this.deadLinks.addAll(this.links);
		this.links.clear();
	}

	/** Holds back all data until {@link #resume()}. Connections stay open. */
	public void stall() {
		this.stalled = true;
	}

	/** Forwards the data that was held back. */
	public void resume() {
		this.stalled = false;
	}

	/**
	 * Delays data from now on. The delay also limits throughput: data that arrives during
	 * a delay waits for the next delay.
	 * @param delay time from receiving data to forwarding it
	 */
	public void delay(Duration delay) {
		this.delayNanos = delay.toNanos();
	}

	private void accept() {
		try {
			while (true) {
				Link link = new Link(this.server.accept(), this.discarding);
				this.links.add(link);
				if (this.blocked) {
					link.close();
				}
				else {
					startDaemon(link::connect);
				}
			}
		}
		catch (IOException ex) {
			// The proxy is closed.
		}
	}

	/** Takes bytes from the budget. Returns how many of them may pass. */
	private synchronized int take(int length) {
		if (this.budget >= length) {
			this.budget -= length;
			return length;
		}
		int left = (int) this.budget;
		this.budget = Long.MAX_VALUE;
		this.cuts.incrementAndGet();
		return left;
	}

	private static void startDaemon(Runnable task) {
		Thread thread = new Thread(task, "fault-proxy");
		thread.setDaemon(true);
		thread.start();
	}

	/** Closes all connections and frees the port. */
	@Override
	public void close() {
		this.blocked = true;
		UncheckedIo.run(this.server::close);
		cut();
		this.deadLinks.forEach(Link::close);
	}

	/** A client's connection and the corresponding connection to the server. */
	private final class Link {

		private final Socket near;

		private final Socket far = new Socket();

		private volatile boolean discarding;

		private volatile boolean closed;

		Link(Socket near, boolean discarding) {
			this.near = near;
			this.discarding = discarding;
		}

		void connect() {
			try {
				this.near.setTcpNoDelay(true);
				this.far.setTcpNoDelay(true);
				this.far.connect(FaultProxy.this.target, CONNECT_TIMEOUT_MILLIS);
				startDaemon(() -> pump(this.near, this.far));
				pump(this.far, this.near);
			}
			catch (IOException ex) {
				close();
			}
		}

		private void pump(Socket from, Socket to) {
			byte[] buffer = new byte[BUFFER_SIZE];
			try {
				InputStream in = from.getInputStream();
				OutputStream out = to.getOutputStream();
				for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
					awaitTurn();
					if (!this.discarding) {
						int passing = take(length);
						out.write(buffer, 0, passing);
						if (passing < length) {
							cut();
						}
					}
				}
			}
			catch (IOException ex) {
				// The other direction has closed the sockets.
			}
			// Behind a network that discards everything, a peer does not see the end of
			// the stream.
			if (!this.discarding) {
				close();
			}
		}

		private void awaitTurn() {
			long delay = FaultProxy.this.delayNanos;
			long start = System.nanoTime();
			while (System.nanoTime() - start < delay) {
				LockSupport.parkNanos(delay);
			}
			while (FaultProxy.this.stalled && !this.closed) {
				LockSupport.parkNanos(STALL_POLL_NANOS);
			}
		}

		void close() {
			this.closed = true;
			FaultProxy.this.links.remove(this);
			FaultProxy.this.deadLinks.remove(this);
			try (this.near; this.far) {
				// Closes both sockets.
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
