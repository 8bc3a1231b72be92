package io.statestore.client.observability;

import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;

import com.sun.management.ThreadMXBean;
import io.micrometer.observation.ObservationRegistry;
import io.statestore.client.internal.CallObserver;
import io.statestore.client.internal.CallObserver.ObservedCall;
import io.statestore.protocol.Bytes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ObservingInvokerTests {

	@Test
	void costsNothingWithoutHandlers() {
		Bytes key = Bytes.of("key");
		CallObserver observer = new ObservingInvoker((command, options) -> new CompletableFuture<>(),
				ObservationRegistry.create(), null);
		assertThat(observer.start("GET", key, 1, false)).isSameAs(ObservedCall.NONE);
		var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		long least = Long.MAX_VALUE;
		for (int i = 0; i < 20; i++) {
			long before = threads.getCurrentThreadAllocatedBytes();
			for (int j = 0; j < 10_000; j++) {
				ObservedCall call = observer.start("GET", key, 1, false);
				call.traceContext();
				call.end(null);
			}
			least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
		}
		assertThat(least).as("bytes for 10,000 calls").isLessThan(1_000);
	}

}
