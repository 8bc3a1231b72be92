package io.statestore.broker.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Stands between a client and a server, and cuts their connections when told to. */
final class CuttingProxy implements AutoCloseable {

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	private final ServerSocket server;

	private final int target;

	CuttingProxy(int target) throws IOException {
		this(0, target);
	}

	CuttingProxy(int port, int target) throws IOException {
		this.target = target;
		this.server = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
		inThread(this::accept);
	}

	int port() {
		return this.server.getLocalPort();
	}

	/** Cut what is connected now. */
	void cut() {
		this.sockets.forEach(CuttingProxy::close);
		this.sockets.clear();
	}

	private void accept() throws IOException {
		while (true) {
			Socket near = this.server.accept();
			Socket far = new Socket(InetAddress.getLoopbackAddress(), this.target);
			for (Socket socket : new Socket[] { near, far }) {
				socket.setTcpNoDelay(true);
				this.sockets.add(socket);
			}
			inThread(() -> copy(near, far));
			inThread(() -> copy(far, near));
		}
	}

	private static void copy(Socket from, Socket to) throws IOException {
		try (from; to; InputStream in = from.getInputStream()) {
			in.transferTo(to.getOutputStream());
		}
	}

	private static void inThread(Work work) {
		Thread thread = new Thread(() -> {
			try {
				work.run();
			}
			catch (IOException ex) {
				// Cut, or closed by one of the two.
			}
		}, "proxy");
		thread.setDaemon(true);
		thread.start();
	}

	private static void close(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() throws IOException {
		this.server.close();
		cut();
	}

	private interface Work {

		void run() throws IOException;

	}

}
