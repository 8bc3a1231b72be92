package io.statestore.client.mqtt.internal;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.mqtt.TestedTransport.PahoOnly;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(30)
@PahoOnly
@Isolated("captures the log")
class PahoLogFilterTests {

	@Test
	void removesValuesAtEveryLevel() throws Exception {
		List<String> records = new CopyOnWriteArrayList<>();
		Handler handler = new Handler() {

			@Override
			public void publish(LogRecord record) {
				records.add(String.valueOf(record.getMessage()));
			}

			@Override
			public void flush() {
			}

			@Override
			public void close() {
			}

		};
		handler.setLevel(Level.ALL);
		Logger paho = Logger.getLogger("org.eclipse.paho");
		Level level = paho.getLevel();
		paho.setLevel(Level.ALL);
		paho.setUseParentHandlers(false);
		paho.addHandler(handler);
		try (FakeBroker broker = new FakeBroker()) {
			broker.onRequest = (fake, request) -> {
				request.ack(0);
				request.reply("$6\r\nsecret\r\n");
			};
			MqttConnection connection = new MqttConnection(broker.options().build());
			Calls calls = new Calls(connection);
			connection.start();
			calls.invoke(new Command.Get(Bytes.of("k")), Options.DEFAULT).get(10, TimeUnit.SECONDS);
			connection.stop();
		}
		finally {
			paho.removeHandler(handler);
			paho.setUseParentHandlers(true);
			paho.setLevel(level);
		}
		assertThat(records).anyMatch((record) -> record.contains("payload=[length="))
			.noneMatch((record) -> record.contains("secret"));
	}

}
