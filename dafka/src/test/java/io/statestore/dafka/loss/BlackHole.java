package io.statestore.dafka.loss;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The network in front of a node, which swallows everything when told so. Has the port of
 * the node, because nodes tell others their port, at another address of this machine.
 */
final class BlackHole implements AutoCloseable {

	/** What nodes behind it tell others. Linux takes all of 127.0.0.0/8 for its own. */
	static final String HOST = "127.0.0.2";

	private final Set<Link> links = ConcurrentHashMap.newKeySet();

	/** Swallow for ever. */
	private final Set<Link> dead = ConcurrentHashMap.newKeySet();

	private final ServerSocket server;

	private volatile boolean swallowing;

	/** On a port that is free for the node, too. */
	BlackHole() {
		try {
			this.server = listen();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		daemon(this::accept);
	}

	/** Below the ports that the system gives to connections, so nobody takes it. */
	private static ServerSocket listen() throws IOException {
		for (int port = 21_000 + (int) (System.nanoTime() / 1_000 % 10_000); port < 32_000; port++) {
			try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"))) {
				return new ServerSocket(free.getLocalPort(), 50, InetAddress.getByName(HOST));
			}
			catch (IOException ex) {
				// Used by somebody else.
			}
		}
		throw new IOException("No port is free");
	}

	int port() {
		return this.server.getLocalPort();
	}

	/** From now on nothing arrives, and nobody is told. */
	void swallow() {
		this.swallowing = true;
		this.links.forEach((link) -> link.swallowing = true);
	}

	/** Closes what swallowed something; new connections work. */
	void heal() {
		this.swallowing = false;
		cut();
	}

	/**
	 * New connections work, those that swallowed something go on to do so and are never
	 * closed.
	 */
	void healForOthers() {
		this.swallowing = false;
		this.dead.addAll(this.links);
		this.links.clear();
	}

	/** Closes all connections, in the middle of whatever is on its way. */
	void cut() {
		this.links.forEach(Link::close);
	}

	private void accept() {
		while (!this.server.isClosed()) {
			try {
				Link link = new Link(this.server.accept());
				link.swallowing = this.swallowing;
				this.links.add(link);
				daemon(link::connect);
			}
			catch (IOException ex) {
				// Closed.
			}
		}
	}

	private static void daemon(Runnable task) {
		Thread thread = new Thread(task, "black hole");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() {
		try {
			this.server.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		cut();
		this.dead.forEach(Link::close);
	}

	private final class Link {

		private final Socket client;

		private final Socket node = new Socket();

		private volatile boolean swallowing;

		Link(Socket client) {
			this.client = client;
		}

		void connect() {
			try {
				this.node.connect(new InetSocketAddress("127.0.0.1", port()), 5_000);
				daemon(() -> pump(this.client, this.node));
				pump(this.node, this.client);
			}
			catch (IOException ex) {
				close();
			}
		}

		private void pump(Socket from, Socket to) {
			byte[] buffer = new byte[16_384];
			try {
				InputStream in = from.getInputStream();
				OutputStream out = to.getOutputStream();
				for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
					if (!this.swallowing) {
						out.write(buffer, 0, length);
					}
				}
			}
			catch (IOException ex) {
				// The other direction has closed.
			}
			if (!this.swallowing) {
				close();
			}
		}

		void close() {
			BlackHole.this.links.remove(this);
			BlackHole.this.dead.remove(this);
			try (this.client; this.node) {
				// Closes both.
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
