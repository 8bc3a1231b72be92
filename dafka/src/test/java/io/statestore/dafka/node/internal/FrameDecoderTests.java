package io.statestore.dafka.node.internal;

import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

import static io.statestore.dafka.node.internal.ZmtpClient.frame;
import static org.assertj.core.api.Assertions.assertThat;

/** Memory usage of the decoder, whatever a peer sends. */
class FrameDecoderTests {

	private final FrameDecoder.Memory memory = new FrameDecoder.Memory(250_000);

	private final FrameDecoder decoder = new FrameDecoder(this.memory);

	@Test
	void releasesReadBytesWhileStreamStaysOneByteAhead() {
		byte[] frame = frame(0, new byte[1_000]);
		add(this.decoder, new byte[] { frame[0] });
		for (int i = 0; i < 10_000; i++) {
			byte[] next = frame.clone();
			System.arraycopy(frame, 1, next, 0, frame.length - 1);
			next[frame.length - 1] = frame[0];
			add(this.decoder, next);
			assertThat(this.decoder.next(1_000)).hasSize(1_000);
		}
		assertThat(this.decoder.in).hasSizeLessThan(50_000);
	}

	@Test
	void releasesLargeMessageBufferBeforeNextMessage() {
		add(this.decoder, frame(0, new byte[200_000]));
		add(this.decoder, new byte[1]);
		assertThat(this.decoder.next(200_000)).hasSize(200_000);
		this.decoder.took(200_000, false);
		assertThat(fits(200_000)).isTrue();
	}

	@Test
	void countsFramesOfIncompleteMessage() {
		add(this.decoder, frame(FrameDecoder.MORE, new byte[200_000]));
		assertThat(this.decoder.next(200_000)).hasSize(200_000);
		this.decoder.took(200_000, true);
		this.decoder.release();
		assertThat(fits(200_000)).isFalse();
	}

	private boolean fits(int bytes) {
		FrameDecoder other = new FrameDecoder(this.memory);
		add(other, frame(0, new byte[bytes]));
		return other.next(bytes) != null;
	}

	private void add(FrameDecoder decoder, byte[] bytes) {
		decoder.add(Unpooled.wrappedBuffer(bytes));
	}

}
