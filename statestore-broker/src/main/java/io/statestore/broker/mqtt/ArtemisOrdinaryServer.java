package io.statestore.broker.mqtt;

import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.statestore.broker.artemis.ArtemisServer;
import io.statestore.broker.artemis.disk.MqttDirectory;
import io.statestore.broker.memory.MemoryBudget;
import org.jspecify.annotations.Nullable;

/** Serves ordinary messages with Artemis. */
final class ArtemisOrdinaryServer extends ArtemisServer implements OrdinaryServer {

	ArtemisOrdinaryServer(int maxPacketSize, @Nullable MqttDirectory directory, MemoryBudget budget,
			LongSupplier nanoTime, Consumer<Error> failed) {
		super(maxPacketSize, directory, budget, nanoTime, failed);
	}

}
