package io.statestore.client.mqtt.internal;

import java.util.List;
import java.util.logging.Filter;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Removes payloads, and with them keys and values, from the messages that Paho logs at
 * level {@code FINE} and below.
 */
final class PahoLogFilter implements Filter {

	private static final String PAHO = "org.eclipse.paho.mqttv5.client.";

	/** Loggers that log entire MQTT messages. */
	private static final List<String> NAMES = List.of("internal.ClientComms", "internal.ClientState",
			"internal.CommsCallback", "internal.CommsReceiver", "internal.CommsSender", "internal.CommsTokenStore",
			"internal.Token", "wire.MqttInputStream", "wire.MqttOutputStream");

	private static final Pattern PAYLOAD = Pattern.compile("payload=\\[hex=.*, length=", Pattern.DOTALL);

	private final @Nullable Filter next;

	private PahoLogFilter(@Nullable Filter next) {
		this.next = next;
	}

	/**
	 * Installs the filter.
	 * @return the filtered loggers. The filter works while they are referenced
	 */
	static List<Logger> install() {
		List<Logger> loggers = NAMES.stream().map((name) -> Logger.getLogger(PAHO + name)).toList();
		for (Logger logger : loggers) {
			Filter filter = logger.getFilter();
			if (!(filter instanceof PahoLogFilter)) {
				logger.setFilter(new PahoLogFilter(filter));
			}
		}
		return loggers;
	}

	@Override
	public boolean isLoggable(LogRecord record) {
		String message = record.getMessage();
		if (message != null) {
			record.setMessage(PAYLOAD.matcher(message).replaceAll("payload=[length="));
		}
		return this.next == null || this.next.isLoggable(record);
	}

}
