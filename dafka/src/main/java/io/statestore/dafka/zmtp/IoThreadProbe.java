package io.statestore.dafka.zmtp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

import org.jspecify.annotations.Nullable;

/**
 * Connects to a port of the own context from time to time. JeroMQ greets each connection
 * at once, or closes it, unless its I/O thread is stuck. Not thread-safe.
 */
final class IoThreadProbe implements AutoCloseable {

	/** Checks without an answer after which the thread counts as stuck. */
	static final int MAX_CHECKS = 30;

	/** Checks from one connection to the next. */
	private static final int PAUSE = 30;

	private final InetSocketAddress address;

	private final int pause;

	private final int maxChecks;

	private @Nullable SocketChannel channel;

	private int checks;

	private int answers;

	IoThreadProbe(String host, int port) {
		this(host, port, PAUSE, MAX_CHECKS);
	}

	IoThreadProbe(String host, int port, int pause, int maxChecks) {
		this.pause = pause;
		this.maxChecks = maxChecks;
		boolean everywhere = host.equals("*") || host.equals("0.0.0.0");
		this.address = everywhere ? new InetSocketAddress(InetAddress.getLoopbackAddress(), port)
				: new InetSocketAddress(host, port);
	}

	/**
	 * Advances the probe, without waiting. To be called once a second: counting calls
	 * instead of time tolerates a machine that was suspended.
	 * @return whether the I/O thread may be alive
	 */
	boolean check() {
		this.checks++;
		try {
			if (this.channel == null) {
				if (this.checks >= this.pause) {
					this.checks = 0;
					this.channel = SocketChannel.open();
					this.channel.configureBlocking(false);
					this.channel.connect(this.address);
				}
				return true;
			}
			// A full backlog leaves it unconnected, which proves nothing.
			boolean connected = this.channel.finishConnect();
			if (connected && this.channel.read(ByteBuffer.allocate(1)) != 0) {
				this.answers++;
				restart();
				return true;
			}
			if (this.checks >= this.maxChecks) {
				restart();
				return !connected;
			}
			return true;
		}
		catch (IOException ex) {
			// The connection was reset, or there are no file descriptors.
			restart();
			return true;
		}
	}

	/** Returns the number of connections that were answered. */
	int answers() {
		return this.answers;
	}

	private void restart() {
		this.checks = 0;
		close();
	}

	@Override
	public void close() {
		try {
			if (this.channel != null) {
				this.channel.close();
			}
		}
		catch (IOException ex) {
			// It is closed all the same.
		}
		this.channel = null;
	}

}
