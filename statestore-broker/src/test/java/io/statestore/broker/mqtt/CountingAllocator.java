package io.statestore.broker.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;

/** Allocator that counts the bytes of its buffers, including their growth. */
final class CountingAllocator extends AbstractByteBufAllocator {

	/** Total of allocated bytes, which grows with each copy. */
	long allocated;

	/** Bytes that are not released. */
	long live;

	CountingAllocator() {
		super(false);
	}

	@Override
	protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
		return new CountedBuffer(this, initialCapacity, maxCapacity);
	}

	@Override
	protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
		return newHeapBuffer(initialCapacity, maxCapacity);
	}

	@Override
	public boolean isDirectBufferPooled() {
		return false;
	}

	private static final class CountedBuffer extends UnpooledHeapByteBuf {

		CountedBuffer(CountingAllocator allocator, int initialCapacity, int maxCapacity) {
			super(allocator, initialCapacity, maxCapacity);
		}

		@Override
		protected byte[] allocateArray(int initialCapacity) {
			counts().allocated += initialCapacity;
			counts().live += initialCapacity;
			return super.allocateArray(initialCapacity);
		}

		@Override
		protected void freeArray(byte[] array) {
			counts().live -= array.length;
			super.freeArray(array);
		}

		private CountingAllocator counts() {
			return (CountingAllocator) alloc();
		}

	}

}
