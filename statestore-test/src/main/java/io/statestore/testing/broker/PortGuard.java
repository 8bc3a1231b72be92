package io.statestore.testing.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/**
 * Occupies a stopped broker's port, so that no other process can take it. Closes each
 * connection immediately.
 */
final class PortGuard implements AutoCloseable {

	private final ServerSocket socket;

	private final Thread thread;

	/**
	 * Occupies a port.
	 * @throws UncheckedIOException if the port is in use
	 */
	PortGuard(String host, int port) {
		try {
			this.socket = new ServerSocket(port, 50, InetAddress.getByName(host));
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot keep port " + port + " of the stopped broker", ex);
		}
		this.thread = new Thread(this::refuse, "statestore-test-port");
		this.thread.setDaemon(true);
		this.thread.start();
	}

	private void refuse() {
		while (!this.socket.isClosed()) {
			try {
				this.socket.accept().close();
			}
			catch (IOException ex) {
				// The client has left, or the guard is closed.
			}
		}
	}

	/** Frees the port. */
	@Override
	public void close() {
		try {
			this.socket.close();
			// The port stays in use as long as a thread accepts connections.
			this.thread.join();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
