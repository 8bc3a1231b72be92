package io.statestore.dafka.node.internal;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

import org.jspecify.annotations.Nullable;

/**
 * Probe that detects a blocked I/O thread by connecting to a port of its context. JeroMQ
 * immediately greets or closes each connection, unless its I/O thread is blocked. Not
 * thread-safe.
 */
final class IoThreadProbe implements AutoCloseable {

	/** Number of checks without an answer after which the thread counts as blocked. */
	static final int MAX_CHECKS = 30;

	/** Number of checks between connections. */
	private static final int PAUSE = 30;

	private final InetSocketAddress address;

	private final int pause;

	private final int maxChecks;

	private final Ports ports;

	private @Nullable SocketChannel channel;

	private int checks;

	private int answers;

	IoThreadProbe(String host, int port, Ports ports) {
		this(host, port, PAUSE, MAX_CHECKS, ports);
	}

	/** Creates a probe with other numbers of checks. */
	IoThreadProbe(String host, int port, int pause, int maxChecks, Ports ports) {
		this.ports = ports;
		this.pause = pause;
		this.maxChecks = maxChecks;
		boolean everywhere = host.equals("*") || host.equals("0.0.0.0");
		this.address = everywhere ? new InetSocketAddress(InetAddress.getLoopbackAddress(), port)
				: new InetSocketAddress(host, port);
	}

	/**
	 * Advances the probe, without waiting. Must be called once a second. Counting calls
	 * instead of time tolerates the suspension of the machine.
	 * @return whether the I/O thread may be running
	 */
	boolean check() {
		this.checks++;
		try {
			if (this.channel == null) {
				if (this.checks >= this.pause) {
					this.checks = 0;
					this.channel = SocketChannel.open();
					this.channel.configureBlocking(false);
					this.channel.bind(new InetSocketAddress(0));
					this.ports.latest = this.channel.socket().getLocalPort();
					this.channel.connect(this.address);
				}
				return true;
			}
			// A full backlog prevents connections, which is no evidence.
			boolean connected = this.channel.finishConnect();
			if (connected && this.channel.read(ByteBuffer.allocate(1)) != 0) {
				this.answers++;
				close();
				return true;
			}
			if (this.checks >= this.maxChecks) {
				close();
				return !connected;
			}
			return true;
		}
		catch (IOException ex) {
			// The connection was reset, or file descriptors are exhausted.
			close();
			return true;
		}
	}

	/** Returns the number of connections that were answered. */
	int answers() {
		return this.answers;
	}

	@Override
	public void close() {
		try {
			if (this.channel != null) {
				this.channel.close();
			}
		}
		catch (IOException ex) {
			// The channel is closed nevertheless.
		}
		this.channel = null;
		this.checks = 0;
	}

	/** Local port of the latest probe, so that it does not count as a foreign peer. */
	static final class Ports {

		private volatile int latest;

		/** Returns whether an address, with its port, is that of the latest probe. */
		boolean contains(String address) {
			return address.endsWith(":" + this.latest);
		}

	}

}
