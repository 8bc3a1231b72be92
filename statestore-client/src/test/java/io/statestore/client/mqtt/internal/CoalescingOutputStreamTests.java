package io.statestore.client.mqtt.internal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class CoalescingOutputStreamTests {

	private static final int PUBLISH = 0x32;

	private static final int PUBACK = 0x40;

	private static final int PINGREQ = 0xC0;

	private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();

	private final List<byte[]> writes = Collections.synchronizedList(new ArrayList<>());

	private final Traffic traffic = new Traffic();

	private final AtomicInteger aborts = new AtomicInteger();

	private @Nullable IOException failure;

	private final CoalescingOutputStream out = new CoalescingOutputStream(new OutputStream() {

		@Override
		public void write(int single) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void write(byte[] bytes, int offset, int length) throws IOException {
			if (CoalescingOutputStreamTests.this.failure != null) {
				throw CoalescingOutputStreamTests.this.failure;
			}
			CoalescingOutputStreamTests.this.writes.add(java.util.Arrays.copyOfRange(bytes, offset, offset + length));
		}

	}, this.traffic, this.scheduler, this.aborts::incrementAndGet);

	@AfterEach
	void close() {
		this.scheduler.shutdownNow();
	}

	private void packet(int type, int length) throws IOException {
		byte[] packet = new byte[length];
		packet[0] = (byte) type;
		packet[length - 1] = (byte) length;
		this.out.write(packet, 0, length);
		this.out.flush();
	}

	@Test
	void writesSinglePublishAtOnce() throws IOException {
		this.traffic.publishSubmitted();
		packet(PUBLISH, 10);
		assertThat(this.writes).hasSize(1);
		packet(PUBACK, 4);
		assertThat(this.writes).hasSize(2);
	}

	@Test
	void writesPacketsTogetherWithNextPublish() throws IOException {
		// On a busy machine, the scheduler could write the first packets before the last.
		CountDownLatch end = new CountDownLatch(1);
		this.scheduler.execute(() -> awaitQuietly(end));
		for (int i = 0; i < 3; i++) {
			this.traffic.publishSubmitted();
		}
		packet(PUBLISH, 10);
		packet(PUBACK, 4);
		packet(PUBLISH, 10);
		assertThat(this.writes).isEmpty();
		packet(PUBLISH, 10);
		assertThat(this.writes).hasSize(1);
		assertThat(this.writes.get(0)).hasSize(34);
		end.countDown();
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void doesNotWaitForRejectedPublish() throws IOException {
		this.traffic.publishSubmitted();
		this.traffic.publishSubmitted();
		this.traffic.publishRejected();
		packet(PUBLISH, 10);
		assertThat(this.writes).hasSize(1);
	}

	@Test
	void writesOtherPacketsAtOnce() throws IOException {
		this.traffic.publishSubmitted();
		packet(PINGREQ, 2);
		assertThat(this.writes).hasSize(1);
	}

	@Test
	void writesSoonIfAnnouncedPublishIsMissing() throws IOException {
		this.traffic.publishSubmitted();
		packet(PUBACK, 4);
		await("the packet").until(() -> this.writes.size() == 1);
		packet(PUBACK, 4);
		await("the next packet").until(() -> this.writes.size() == 2);
	}

	@Test
	void failedWriteClosesSocketAndIsKept() throws IOException {
		this.failure = new IOException("Broken pipe");
		packet(PINGREQ, 2);
		packet(PINGREQ, 2);
		assertThat(this.aborts.get()).isEqualTo(2);
		assertThat(this.traffic.writeFailure()).isSameAs(this.failure);
	}

	@Test
	void keepsAllBytesInOrder() throws IOException {
		ByteArrayOutputStream expected = new ByteArrayOutputStream();
		int[] lengths = { 10, 65_536, 200_000, 3, 65_530, 10, 65_537 };
		for (int i = 0; i < lengths.length; i++) {
			this.traffic.publishSubmitted();
		}
		for (int length : lengths) {
			byte[] packet = new byte[length];
			packet[0] = (byte) PUBLISH;
			packet[length - 1] = 7;
			expected.write(packet);
			// In the pieces of a buffered stream of Paho.
			for (int offset = 0; offset < length; offset += 8192) {
				this.out.write(packet, offset, Math.min(8192, length - offset));
			}
			this.out.flush();
		}
		ByteArrayOutputStream actual = new ByteArrayOutputStream();
		synchronized (this.writes) {
			for (byte[] write : this.writes) {
				actual.write(write);
			}
		}
		assertThat(actual.toByteArray()).isEqualTo(expected.toByteArray());
	}

	@Test
	void writesAtOnceWhileLinkIsClosing() throws IOException {
		this.scheduler.shutdownNow();
		this.traffic.publishSubmitted();
		packet(PUBACK, 4);
		assertThat(this.writes).hasSize(1);
		assertThat(this.aborts).hasValue(0);
	}

}
