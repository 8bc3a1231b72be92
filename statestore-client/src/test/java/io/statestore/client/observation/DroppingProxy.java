package io.statestore.client.observation;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A network between client and broker that can be cut, also in the middle of a packet.
 */
public final class DroppingProxy implements AutoCloseable {

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	/** How many more bytes pass, in both directions together. */
	private long budget = Long.MAX_VALUE;

	private final AtomicInteger cuts = new AtomicInteger();

	private final ServerSocket server;

	private final int target;

	private volatile boolean blocked;

	public DroppingProxy(int target) {
		this.target = target;
		try {
			this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		daemon(this::accept);
	}

	public int port() {
		return this.server.getLocalPort();
	}

	/** Let so many bytes pass, lose the rest of the packet, and cut. */
	public synchronized void cutAfter(long bytes) {
		this.budget = bytes;
	}

	/** How many of so many bytes may pass; fewer if this is where it is cut. */
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

	/** How often it was cut for want of budget. */
	public int cuts() {
		return this.cuts.get();
	}

	/** Cut, and let nobody through. */
	public void block() {
		this.blocked = true;
		closeAll();
	}

	public void unblock() {
		this.blocked = false;
	}

	private void accept() {
		while (!this.server.isClosed()) {
			try {
				Socket client = this.server.accept();
				if (this.blocked) {
					client.close();
					continue;
				}
				connect(client);
			}
			catch (IOException ex) {
				// Closed, or the target is away.
			}
		}
	}

	private void connect(Socket client) throws IOException {
		this.sockets.add(client);
		Socket broker;
		try {
			broker = new Socket(InetAddress.getLoopbackAddress(), this.target);
		}
		catch (IOException ex) {
			client.close();
			throw ex;
		}
		this.sockets.add(broker);
		client.setTcpNoDelay(true);
		broker.setTcpNoDelay(true);
		daemon(() -> pump(client, broker));
		daemon(() -> pump(broker, client));
	}

	private void pump(Socket from, Socket to) {
		byte[] buffer = new byte[4096];
		try (from; to) {
			InputStream in = from.getInputStream();
			OutputStream out = to.getOutputStream();
			for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
				int passes = take(length);
				out.write(buffer, 0, passes);
				if (passes < length) {
					closeAll();
					return;
				}
			}
		}
		catch (IOException ex) {
			// The other direction has closed.
		}
		this.sockets.remove(from);
		this.sockets.remove(to);
	}

	private void closeAll() {
		this.sockets.forEach((socket) -> {
			try {
				socket.close();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		});
		this.sockets.clear();
	}

	private static void daemon(Runnable task) {
		Thread thread = new Thread(task, "proxy");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() {
		this.blocked = true;
		try {
			this.server.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		closeAll();
	}

}
