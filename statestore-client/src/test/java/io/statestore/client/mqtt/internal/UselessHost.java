package io.statestore.client.mqtt.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** A host that accepts TCP connections, and closes them or never answers. */
final class UselessHost implements AutoCloseable {

	final AtomicInteger connections = new AtomicInteger();

	private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();

	private final ServerSocket server;

	private final boolean closes;

	private final String answer;

	private UselessHost(boolean closes, String answer) {
		this.closes = closes;
		this.answer = answer;
		try {
			this.server = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Thread thread = new Thread(this::accept, "useless-host");
		thread.setDaemon(true);
		thread.start();
	}

	/** Starts a host that closes connections, like a follower without a leader. */
	static UselessHost closing() {
		return new UselessHost(true, "");
	}

	/** Starts a host that never answers. */
	static UselessHost silent() {
		return new UselessHost(false, "");
	}

	/** Starts a server of another protocol than MQTT. */
	static UselessHost answering(String text) {
		return new UselessHost(false, text);
	}

	int port() {
		return this.server.getLocalPort();
	}

	String address() {
		return "127.0.0.1:" + port();
	}

	private void accept() {
		try {
			while (true) {
				Socket socket = this.server.accept();
				this.connections.incrementAndGet();
				this.sockets.add(socket);
				socket.getOutputStream().write(this.answer.getBytes(StandardCharsets.ISO_8859_1));
				if (this.closes) {
					socket.close();
				}
			}
		}
		catch (IOException ex) {
			// The test has ended.
		}
	}

	@Override
	public void close() {
		try {
			this.server.close();
			for (Socket socket : this.sockets) {
				socket.close();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
