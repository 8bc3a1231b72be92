package io.statestore.sample.room;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Cable between a press and the broker: a TCP proxy that can be unplugged. It listens on
 * a free port of this machine.
 */
final class Cable implements AutoCloseable {

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	private final ServerSocket server;

	private final int brokerPort;

	private volatile boolean plugged = true;

	Cable(int brokerPort) {
		this.brokerPort = brokerPort;
		try {
			this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		start("accept", this::accept);
	}

	int port() {
		return this.server.getLocalPort();
	}

	boolean isPlugged() {
		return this.plugged;
	}

	/** Ends all connections, and refuses further ones. */
	void unplug() {
		this.plugged = false;
		this.sockets.forEach(Cable::closeQuietly);
	}

	void plug() {
		this.plugged = true;
	}

	private void accept() {
		while (!this.server.isClosed()) {
			try {
				Socket press = open(this.server.accept());
				if (this.plugged) {
					start("connect", () -> connect(press));
				}
				else {
					closeQuietly(press);
					this.sockets.remove(press);
				}
			}
			catch (IOException ex) {
				// Closed, or there are too many open files.
				pauseBriefly();
			}
		}
	}

	private void pauseBriefly() {
		try {
			if (!this.server.isClosed()) {
				Thread.sleep(100);
			}
		}
		catch (InterruptedException ex) {
			closeQuietly(this.server);
		}
	}

	private Socket open(Socket socket) throws IOException {
		this.sockets.add(socket);
		socket.setTcpNoDelay(true);
		return socket;
	}

	private void connect(Socket press) {
		try (press; Socket broker = open(new Socket(InetAddress.getLoopbackAddress(), this.brokerPort))) {
			if (this.plugged) {
				start("copy", () -> copy(broker, press));
				copy(press, broker);
			}
		}
		catch (IOException ex) {
			// The broker is offline. The press reconnects.
		}
		finally {
			this.sockets.removeIf(Socket::isClosed);
		}
	}

	private static void copy(Socket from, Socket to) {
		try (from; to) {
			from.getInputStream().transferTo(to.getOutputStream());
		}
		catch (IOException ex) {
			// One of them has ended the connection.
		}
	}

	private void start(String task, Runnable runnable) {
		Thread thread = new Thread(runnable, "cable-" + port() + '-' + task);
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() {
		closeQuietly(this.server);
		unplug();
	}

	private static void closeQuietly(AutoCloseable socket) {
		try {
			socket.close();
		}
		catch (Exception ex) {
			// Closed in any case.
		}
	}

}
