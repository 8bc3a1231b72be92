package io.statestore.client.mqtt.internal;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

import javax.net.SocketFactory;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

import io.statestore.client.mqtt.ConnectionOptions.Tls;
import io.statestore.client.mqtt.internal.Link.Attempt;
import org.jspecify.annotations.Nullable;

/**
 * Socket for Paho, for plain TCP and TLS: buffered, without Nagle's algorithm, and closed
 * in any state by {@link #abort()}. It replaces Paho's TLS module, which leaves sockets
 * open and takes timeouts in whole seconds. That module also reads half a packet header
 * when a read times out.
 */
final class MqttSocket extends Socket {

	private final Attempt attempt;

	private final Traffic traffic;

	private final ScheduledExecutorService scheduler;

	/** The TCP socket underneath. */
	private volatile @Nullable Socket transport;

	private volatile boolean closed;

	private volatile @Nullable ServerInputStream in;

	private @Nullable OutputStream out;

	MqttSocket(Attempt attempt, Traffic traffic, ScheduledExecutorService scheduler) {
		this.attempt = attempt;
		this.traffic = traffic;
		this.scheduler = scheduler;
	}

	/** Returns a factory that returns this socket. */
	SocketFactory asFactory() {
		return new Factory(this);
	}

	/** Returns the Maximum Packet Size of the broker, or {@code null} without a limit. */
	@Nullable Long maximumPacketSize() {
		ServerInputStream in = this.in;
		return (in != null) ? in.maximumPacketSize() : null;
	}

	/** Returns the Server Reference of the CONNACK, or {@code null} if there is none. */
	@Nullable String serverReference() {
		ServerInputStream in = this.in;
		return (in != null) ? in.serverReference() : null;
	}

	/** Connects to the broker that the options name. The arguments have no effect. */
	@Override
	public void connect(SocketAddress ignored, int ignoredTimeout) throws IOException {
		long deadline = System.nanoTime() + this.attempt.timeout().toNanos();
		IOException failure = null;
		for (InetAddress address : InetAddress.getAllByName(this.attempt.host().host())) {
			try {
				open(address, deadline);
				return;
			}
			catch (IOException ex) {
				closeTransport();
				failure = (failure != null) ? failure : ex;
			}
		}
		throw (failure != null) ? failure : new IOException("No address");
	}

	private void open(InetAddress address, long deadline) throws IOException {
		Socket raw = new Socket();
		this.transport = raw;
		if (this.closed) {
			throw new IOException("Closed");
		}
		raw.setTcpNoDelay(true);
		raw.connect(new InetSocketAddress(address, this.attempt.host().port()), remainingMillis(deadline));
		Supplier<Tls> tls = this.attempt.options().tls();
		Socket socket = (tls != null) ? secure(raw, tls.get(), deadline) : raw;
		this.in = new ServerInputStream(socket.getInputStream(), this.traffic);
		this.out = new CoalescingOutputStream(socket.getOutputStream(), this.traffic, this.scheduler, this::abort);
	}

	private Socket secure(Socket raw, Tls tls, long deadline) throws IOException {
		SSLSocket socket = (SSLSocket) tls.context()
			.getSocketFactory()
			.createSocket(raw, this.attempt.host().host(), this.attempt.host().port(), true);
		if (tls.verifyHostname()) {
			SSLParameters parameters = socket.getSSLParameters();
			parameters.setEndpointIdentificationAlgorithm("HTTPS");
			socket.setSSLParameters(parameters);
		}
		raw.setSoTimeout(remainingMillis(deadline));
		try {
			socket.startHandshake();
		}
		catch (EOFException | SocketException ex) {
			throw new SSLException(ex.getMessage() + " during the handshake", ex);
		}
		raw.setSoTimeout(0);
		return socket;
	}

	private int remainingMillis(long deadline) throws SocketTimeoutException {
		long millis = (deadline - System.nanoTime()) / 1_000_000;
		if (millis < 1) {
			throw new SocketTimeoutException("Connect timed out");
		}
		return (int) Math.min(millis, Integer.MAX_VALUE);
	}

	@Override
	public InputStream getInputStream() throws IOException {
		InputStream in = this.in;
		if (in == null) {
			throw new IOException("Not connected");
		}
		return in;
	}

	@Override
	public OutputStream getOutputStream() throws IOException {
		OutputStream out = this.out;
		if (out == null) {
			throw new IOException("Not connected");
		}
		return out;
	}

	/** Does nothing. Paho would wake up every second, but closing the socket wakes it. */
	@Override
	public void setSoTimeout(int timeout) {
	}

	/** Does nothing. It would fail for TLS, and Paho would then skip {@link #close()}. */
	@Override
	public void shutdownInput() {
	}

	/** Called by Paho when it no longer uses this socket. */
	@Override
	public void close() {
		abort();
		this.traffic.startWriting();
	}

	/** Closes the connection, so that Paho fails and ends its threads. */
	void abort() {
		this.closed = true;
		closeTransport();
	}

	private void closeTransport() {
		Socket transport = this.transport;
		try {
			if (transport != null) {
				// The TLS socket would wait for a writer that is stuck.
				transport.close();
			}
		}
		catch (IOException ex) {
			// There is nothing left to close.
		}
	}

	private static final class Factory extends SocketFactory {

		private final MqttSocket socket;

		Factory(MqttSocket socket) {
			this.socket = socket;
		}

		@Override
		public Socket createSocket() {
			return this.socket;
		}

		@Override
		public Socket createSocket(String host, int port) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Socket createSocket(InetAddress host, int port) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
			throw new UnsupportedOperationException();
		}

	}

}
