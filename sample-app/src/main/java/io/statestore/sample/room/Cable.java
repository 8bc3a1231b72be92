package io.statestore.sample.room;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Cable between a press and a broker: a TCP proxy that can be unplugged. It listens on a
 * free port of this machine.
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
		ChildProcess.startDaemon("cable", this::accept);
	}

	int port() {
		return this.server.getLocalPort();
	}

	boolean isPlugged() {
		return this.plugged;
	}

	/**
	 * Plugs or unplugs the cable. While it is unplugged, all connections are closed and
	 * new connections are refused.
	 */
	void plug(boolean value) {
		this.plugged = value;
		if (!value) {
			this.sockets.forEach(Cable::closeQuietly);
		}
	}

	private void accept() {
		try {
			while (true) {
				Socket press = this.server.accept();
				ChildProcess.startDaemon("cable", () -> connect(press));
			}
		}
		catch (IOException ex) {
			// The control room is closing.
		}
	}

	private void connect(Socket press) {
		this.sockets.add(press);
		try (press; Socket broker = new Socket(InetAddress.getLoopbackAddress(), this.brokerPort)) {
			this.sockets.add(broker);
			press.setTcpNoDelay(true);
			broker.setTcpNoDelay(true);
			if (this.plugged) {
				ChildProcess.startDaemon("cable", () -> copy(broker, press));
				copy(press, broker);
			}
		}
		catch (IOException ex) {
			// The broker is offline. The press will reconnect.
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
			// Either side has ended the connection.
		}
	}

	@Override
	public void close() {
		closeQuietly(this.server);
		plug(false);
	}

	private static void closeQuietly(AutoCloseable socket) {
		try {
			socket.close();
		}
		catch (Exception ex) {
			// The socket is closed in any case.
		}
	}

}
