package io.statestore.client.mqtt;

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
import org.jspecify.annotations.Nullable;

/**
 * The socket that Paho gets, for plain TCP and TLS alike: without Nagle's algorithm,
 * buffered, and closed for good by {@link #abort()}, whatever state it is in. Paho's own
 * TLS module leaves the socket open, takes timeouts in whole seconds and reads half a
 * packet header when its read times out.
 */
final class MqttSocket extends Socket {

	private final ConnectionOptions options;

	private final Traffic traffic;

	private final ScheduledExecutorService scheduler;

	private volatile @Nullable Socket transport;

	private volatile boolean closed;

	private volatile @Nullable ServerInputStream in;

	private @Nullable OutputStream out;

	MqttSocket(ConnectionOptions options, Traffic traffic, ScheduledExecutorService scheduler) {
		this.options = options;
		this.traffic = traffic;
		this.scheduler = scheduler;
	}

	/** A factory that gives out this socket. */
	SocketFactory asFactory() {
		return new Factory(this);
	}

	/** The largest packet the server accepts, {@code null} without a limit. */
	@Nullable Long maximumPacketSize() {
		ServerInputStream in = this.in;
		return (in != null) ? in.maximumPacketSize() : null;
	}

	/**
	 * Connect to the broker of the options; the arguments are those that Paho made of an
	 * address we do not give it.
	 */
	@Override
	public void connect(SocketAddress ignored, int ignoredTimeout) throws IOException {
		long deadline = System.nanoTime() + this.options.connectTimeout().toNanos();
		IOException failure = null;
		for (InetAddress address : InetAddress.getAllByName(this.options.host())) {
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
		raw.connect(new InetSocketAddress(address, this.options.port()), remainingMillis(deadline));
		Supplier<Tls> tls = this.options.tls();
		Socket socket = (tls != null) ? secure(raw, tls.get(), deadline) : raw;
		this.in = new ServerInputStream(socket.getInputStream(), this.traffic);
		this.out = new CoalescingOutputStream(socket.getOutputStream(), this.traffic, this.scheduler, this::abort);
	}

	private Socket secure(Socket raw, Tls tls, long deadline) throws IOException {
		SSLSocket socket = (SSLSocket) tls.socketFactory()
			.createSocket(raw, this.options.host(), this.options.port(), true);
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

	private static int remainingMillis(long deadline) throws SocketTimeoutException {
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

	/** Paho wants to wake up every second; closing the socket wakes it as well. */
	@Override
	public void setSoTimeout(int timeout) {
	}

	/** Fails for TLS, and then Paho would not go on to {@link #close()}. */
	@Override
	public void shutdownInput() {
	}

	/** Paho is through with this socket. */
	@Override
	public void close() {
		abort();
		this.traffic.startWriting();
	}

	/** Make Paho fail, in an order it can stand. */
	void abort() {
		this.closed = true;
		closeTransport();
	}

	private void closeTransport() {
		Socket transport = this.transport;
		try {
			if (transport != null) {
				// Not the TLS socket, whose close waits for a writer that is stuck.
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
