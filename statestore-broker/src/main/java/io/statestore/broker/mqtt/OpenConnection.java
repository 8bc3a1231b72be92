package io.statestore.broker.mqtt;

import java.net.InetAddress;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;

/** An open connection as {@link ConnectionCounts} counts it. Thread-safe. */
final class OpenConnection {

	private final Channel channel;

	private final InetAddress address;

	private volatile boolean busy;

	OpenConnection(Channel channel, InetAddress address) {
		this.channel = channel;
		this.address = address;
	}

	InetAddress address() {
		return this.address;
	}

	/** Returns whether the connection waits for a thread of the broker. */
	boolean isBusy() {
		return this.busy;
	}

	void setBusy(boolean busy) {
		this.busy = busy;
	}

	/** Closes the connection at once, without a message to the client. */
	void abort() {
		ChannelHandlerContext tls = this.channel.pipeline().context(SslHandler.class);
		if (tls != null) {
			// Precedes the TLS handler, which would wait until its last record is sent.
			tls.close();
		}
		else {
			this.channel.close();
		}
	}

}
