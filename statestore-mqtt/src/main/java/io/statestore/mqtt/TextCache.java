package io.statestore.mqtt;

import java.nio.charset.StandardCharsets;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.FastThreadLocal;
import org.jspecify.annotations.Nullable;

/**
 * Caches short strings that recur in received packets, such as topics and user property
 * names, so that they are not decoded each time. Not thread-safe.
 */
final class TextCache {

	/** Number of slots, a power of two. */
	private static final int SIZE = 64;

	private static final int MAX_LENGTH = 128;

	/** Maximum number of bytes that determine a string's slot. */
	private static final int SAMPLES = 8;

	private static final FastThreadLocal<TextCache> OF_THREAD = new FastThreadLocal<>() {

		@Override
		protected TextCache initialValue() {
			return new TextCache();
		}

	};

	private final @Nullable Text[] texts = new Text[SIZE];

	/** Returns the cache shared by all connections on this thread's event loop. */
	static TextCache ofThread() {
		return OF_THREAD.get();
	}

	/** Reads a string, which is preceded by its length. */
	String read(ByteBuf in) {
		int length = in.getUnsignedShort(in.readerIndex());
		if (length > MAX_LENGTH || length > in.readableBytes() - 2) {
			return Properties.read(in);
		}
		in.skipBytes(2);
		int slot = slot(in, length);
		Text text = this.texts[slot];
		if (text != null && text.isNext(in, length)) {
			in.skipBytes(length);
			return text.value;
		}
		byte[] encoded = new byte[length];
		in.readBytes(encoded);
		text = new Text(Unpooled.wrappedBuffer(encoded), new String(encoded, StandardCharsets.UTF_8));
		this.texts[slot] = text;
		return text.value;
	}

	private static int slot(ByteBuf in, int length) {
		int hash = length;
		int start = in.readerIndex();
		// A few bytes are sufficient, because a slot holds only one string anyway.
		for (int i = 0; i < length; i += 1 + length / SAMPLES) {
			hash = 31 * hash + in.getByte(start + i);
		}
		return (hash ^ hash >>> 7) & (SIZE - 1);
	}

	private record Text(ByteBuf encoded, String value) {

		boolean isNext(ByteBuf in, int length) {
			return length == this.encoded.readableBytes()
					&& ByteBufUtil.equals(this.encoded, 0, in, in.readerIndex(), length);
		}

	}

}
