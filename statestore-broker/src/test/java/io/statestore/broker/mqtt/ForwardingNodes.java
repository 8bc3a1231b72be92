package io.statestore.broker.mqtt;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.statestore.broker.cluster.StreamTarget;

/**
 * Two nodes with a mutual TLS connection per client: a follower that forwards clients,
 * and the leader's port for nodes, which passes the clients to the target.
 */
final class ForwardingNodes implements AutoCloseable {

	private static final int ACCEPTED = 1;

	private final SSLContext context;

	private final EventLoopGroup eventLoop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

	private final ServerSocket follower = new ServerSocket(0, 300, InetAddress.getLoopbackAddress());

	private final List<Socket> sockets = new CopyOnWriteArrayList<>();

	/** Addresses of the next clients. */
	private final BlockingQueue<String> addresses = new LinkedBlockingQueue<>();

	private final InetSocketAddress leader;

	/** The latest client's connection between the nodes. */
	private volatile Socket latest = new Socket();

	ForwardingNodes(StreamTarget target, SSLContext context) throws IOException {
		this.context = context;
		this.leader = (InetSocketAddress) new ServerBootstrap().group(this.eventLoop)
			.channel(NioServerSocketChannel.class)
			.childHandler(new ChannelInitializer<>() {
				@Override
				protected void initChannel(Channel channel) {
					SSLEngine engine = context.createSSLEngine();
					engine.setUseClientMode(false);
					engine.setNeedClientAuth(true);
					channel.pipeline().addLast(new SslHandler(engine), new Acceptance(target));
				}
			})
			.bind("127.0.0.1", 0)
			.syncUninterruptibly()
			.channel()
			.localAddress();
		run(() -> {
			while (true) {
				Socket client = this.follower.accept();
				this.sockets.add(client);
				String address = this.addresses.remove();
				run(() -> forward(client, address));
			}
		});
	}

	/** Returns the follower's port for the next client. */
	int port(String address) {
		this.addresses.add(address);
		return this.follower.getLocalPort();
	}

	/** Sends unencrypted bytes to the leader. */
	void corrupt() throws IOException {
		this.latest.getOutputStream().write("not a record of TLS".getBytes(StandardCharsets.US_ASCII));
	}

	private void forward(Socket client, String address) throws IOException {
		Socket tcp = new Socket(this.leader.getAddress(), this.leader.getPort());
		this.sockets.add(tcp);
		this.latest = tcp;
		try (client; SSLSocket stream = (SSLSocket) this.context.getSocketFactory().createSocket(tcp, "", 0, true)) {
			stream.getOutputStream().write(address.getBytes(StandardCharsets.US_ASCII));
			if (stream.getInputStream().read() == ACCEPTED) {
				run(() -> {
					try (client; stream) {
						client.getInputStream().transferTo(stream.getOutputStream());
					}
				});
				stream.getInputStream().transferTo(client.getOutputStream());
			}
		}
	}

	private static void run(Task task) {
		Thread thread = new Thread(() -> {
			try {
				task.run();
			}
			catch (IOException ex) {
				// The end of a connection, or of the test.
			}
		});
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() throws IOException {
		this.follower.close();
		for (Socket socket : this.sockets) {
			socket.close();
		}
		this.eventLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
	}

	/** Blocks until a connection ends. */
	private interface Task {

		void run() throws IOException;

	}

	/** Reads the client's address and passes on the connection as the cluster does. */
	private static final class Acceptance extends SimpleChannelInboundHandler<ByteBuf> {

		private final StreamTarget target;

		private String address = "";

		Acceptance(StreamTarget target) {
			this.target = target;
		}

		@Override
		protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
			this.address = bytes.toString(StandardCharsets.US_ASCII);
			context.channel().config().setAutoRead(false);
			context.deregister().addListener((left) -> this.target.eventLoops().register(context.channel()));
		}

		@Override
		public void channelRegistered(ChannelHandlerContext context) {
			if (!this.address.isEmpty()) {
				context.writeAndFlush(context.alloc().buffer().writeByte(ACCEPTED));
				context.channel().config().setAutoRead(true);
				context.pipeline().remove(this);
				this.target.accept(context.channel(), new InetSocketAddress(this.address, 4711));
			}
		}

	}

}
