package io.statestore.broker.mqtt;

import java.util.ArrayList;
import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ReadGateTests {

	private final List<Integer> pieces = new ArrayList<>();

	private int completed;

	private int suspendAfter = Integer.MAX_VALUE;

	private final EmbeddedChannel channel = new EmbeddedChannel(new ReadGate(), new ChannelInboundHandlerAdapter() {

		@Override
		public void channelRead(ChannelHandlerContext context, Object message) {
			ByteBuf bytes = (ByteBuf) message;
			ReadGateTests.this.pieces.add(bytes.readableBytes());
			bytes.release();
			if (ReadGateTests.this.pieces.size() == ReadGateTests.this.suspendAfter) {
				context.channel().config().setAutoRead(false);
			}
		}

		@Override
		public void channelReadComplete(ChannelHandlerContext context) {
			ReadGateTests.this.completed++;
		}

	});

	@Test
	void passesBytesInSmallPieces() {
		ByteBuf bytes = Unpooled.buffer().writeZero(2 * ReadGate.MAX_PIECE + 5);
		this.channel.writeInbound(bytes);
		assertThat(this.pieces).containsExactly(ReadGate.MAX_PIECE, ReadGate.MAX_PIECE, 5);
		assertThat(bytes.refCnt()).isZero();
	}

	@Test
	void holdsBytesWhileReadingIsSuspended() {
		this.suspendAfter = 2;
		ByteBuf bytes = Unpooled.buffer().writeZero(5 * ReadGate.MAX_PIECE);
		this.channel.writeInbound(bytes, Unpooled.buffer().writeZero(7));
		assertThat(this.pieces).hasSize(2);
		int before = this.completed;
		this.channel.config().setAutoRead(true);
		this.channel.runPendingTasks();
		assertThat(this.pieces).hasSize(6).endsWith(ReadGate.MAX_PIECE, 7);
		assertThat(this.completed).isGreaterThan(before);
		assertThat(bytes.refCnt()).isZero();
	}

	@Test
	void releasesBytesWhenConnectionEnds() {
		this.suspendAfter = 1;
		ByteBuf bytes = Unpooled.buffer().writeZero(2 * ReadGate.MAX_PIECE);
		this.channel.writeInbound(bytes);
		this.channel.close();
		assertThat(bytes.refCnt()).isZero();
	}

}
