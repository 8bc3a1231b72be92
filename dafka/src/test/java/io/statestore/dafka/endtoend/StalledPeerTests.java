package io.statestore.dafka.endtoend;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.Position;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.store.Store;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A peer that subscribes to all messages but reads none. */
@Timeout(120)
class StalledPeerTests {

	@Test
	void stalledPeerDoesNotStopOtherPeers() {
		try (Cluster cluster = new Cluster();
				Store store = cluster.store().start();
				ZContext context = new ZContext()) {
			NodeOptions node = NodeOptions.builder()
				.tower(cluster.tower.address())
				.bindHost("127.0.0.1")
				.beaconInterval(Duration.ofMillis(50))
				.stallTimeout(Duration.ofMillis(50))
				.highWaterMark(10)
				.build();
			try (Producer producer = Producer.builder(node).headInterval(Duration.ofMillis(50)).start()) {
				producer.send("t", Bytes.EMPTY).join();
				ZMQ.Socket stalled = context.createSocket(SocketType.SUB);
				stalled.setRcvHWM(1);
				stalled.setReceiveBufferSize(4_096);
				stalled.setHandshakeIvl(1_000);
				stalled.subscribe("M");
				stalled.connect("tcp://127.0.0.1:" + producer.port());
				stalled.setReceiveTimeOut(10);
				await("the peer gets a record").until(() -> {
					producer.send("t", Bytes.EMPTY).join();
					return stalled.recv() != null;
				});
				List<CompletableFuture<Position>> futures = new ArrayList<>();
				for (int i = 0; i < 400; i++) {
					futures.add(producer.send("t", Bytes.wrap(new byte[32 << 10])));
				}
				futures.forEach(CompletableFuture::join);
				assertThat(producer.metrics().node().stalls()).isPositive();
				assertThat(store.failure()).isNull();
			}
		}
	}

}
