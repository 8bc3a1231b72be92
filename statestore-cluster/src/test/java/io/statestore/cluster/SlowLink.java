package io.statestore.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Forwards connections to another port, and delays all bytes in both directions. */
final class SlowLink implements AutoCloseable {

	private static final Delayed END = new Delayed(0, new byte[0]);

	private final ServerSocket server;

	private final InetSocketAddress target;

	private final Duration delay;

	private final List<Socket> sockets = new CopyOnWriteArrayList<>();

	/**
	 * Starts to accept connections.
	 * @param delay delay in each direction
	 */
	SlowLink(int port, int target, Duration delay) throws IOException {
		InetAddress host = InetAddress.getByName("127.0.0.1");
		this.server = new ServerSocket(port, 50, host);
		this.target = new InetSocketAddress(host, target);
		this.delay = delay;
		start(this::accept);
	}

	private void accept() throws Exception {
		while (true) {
			Socket client = this.server.accept();
			this.sockets.add(client);
			try {
				Socket node = new Socket(this.target.getAddress(), this.target.getPort());
				this.sockets.add(node);
				pass(client, node);
				pass(node, client);
			}
			catch (IOException ex) {
				// The node is not running.
				client.close();
			}
		}
	}

	private void pass(Socket from, Socket to) throws IOException {
		InputStream input = from.getInputStream();
		OutputStream output = to.getOutputStream();
		BlockingQueue<Delayed> queue = new LinkedBlockingQueue<>();
		start(() -> {
			byte[] buffer = new byte[1 << 16];
			try {
				for (int count = input.read(buffer); count >= 0; count = input.read(buffer)) {
					queue.add(new Delayed(System.nanoTime() + this.delay.toNanos(), Arrays.copyOf(buffer, count)));
				}
			}
			finally {
				queue.add(END);
			}
		});
		start(() -> {
			try (to) {
				for (Delayed next = queue.take(); next != END; next = queue.take()) {
					TimeUnit.NANOSECONDS.sleep(next.time() - System.nanoTime());
					output.write(next.bytes());
				}
			}
		});
	}

	private static void start(Task task) {
		Thread thread = new Thread(() -> {
			try {
				task.run();
			}
			catch (Exception ex) {
				// One of the sockets is closed.
			}
		});
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() throws IOException {
		this.server.close();
		for (Socket socket : this.sockets) {
			socket.close();
		}
	}

	private record Delayed(long time, byte[] bytes) {
	}

	/** A task that the end of a connection may interrupt. */
	@FunctionalInterface
	private interface Task {

		void run() throws Exception;

	}

}
