package io.statestore.broker;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Counts the classes of the broker that a SET enters, from its PUBLISH to its PUBACK. A
 * class that joins the path must be worth it.
 */
class SetPathTests {

	@Test
	void entersFewClassesInMemory() throws Exception {
		assertThat(classesOfSet("")).hasSizeLessThanOrEqualTo(200);
	}

	@Test
	void entersFewClassesWithDirectory(@TempDir Path directory) throws Exception {
		assertThat(classesOfSet(directory.resolve("store").toString())).hasSizeLessThanOrEqualTo(200);
	}

	private static Set<String> classesOfSet(String directory) throws Exception {
		LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
		Map<String, Connector.Argument> arguments = connector.defaultArguments();
		arguments.get("options").setValue("-cp " + System.getProperty("java.class.path"));
		arguments.get("main").setValue(Traced.class.getName() + " " + directory);
		VirtualMachine machine = connector.launch(arguments);
		try {
			InputStream output = machine.process().getInputStream();
			machine.resume();
			assertThat(output.read()).isEqualTo('1');
			MethodEntryRequest entries = machine.eventRequestManager().createMethodEntryRequest();
			entries.addClassFilter("io.statestore.*");
			entries.setSuspendPolicy(EventRequest.SUSPEND_NONE);
			entries.enable();
			machine.process().getOutputStream().write('1');
			machine.process().getOutputStream().flush();
			assertThat(output.read()).isEqualTo('2');
			entries.disable();
			Set<String> classes = new TreeSet<>();
			for (EventSet events = machine.eventQueue().remove(0); events != null; events = machine.eventQueue()
				.remove(100)) {
				for (Event event : events) {
					if (event instanceof MethodEntryEvent entry) {
						String type = entry.location().declaringType().name();
						if (!type.startsWith("io.statestore.test.") && !type.equals(Traced.class.getName())
								&& !entry.thread().name().equals("statestore-sessions")) {
							classes.add(type);
						}
					}
				}
				events.resume();
			}
			System.out.println(classes.size() + " " + String.join(System.lineSeparator(), classes));
			return classes;
		}
		finally {
			machine.process().destroyForcibly();
		}
	}

	/** Sends a few SETs to a broker, of which the last one is traced. */
	static final class Traced {

		private Traced() {
		}

		public static void main(String[] arguments) throws Exception {
			StateStoreBrokerBuilder builder = StateStoreBroker.builder();
			if (arguments.length > 0) {
				builder.storage(StorageOptions.in(Path.of(arguments[0])));
			}
			try (StateStoreBroker broker = builder.start();
					RawMqttConnection client = RawMqttConnection.connected(broker.port(), "setter")) {
				client.subscribed("clients/setter/replies", 1);
				for (int i = 0; i < 3; i++) {
					set(client, i);
				}
				System.out.write('1');
				System.out.flush();
				System.in.read();
				set(client, 3);
				System.out.write('2');
				System.out.flush();
				System.in.read();
			}
			System.exit(0);
		}

		private static void set(RawMqttConnection client, int number) throws Exception {
			client.send(client.publish("statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8/command/invoke", 1,
					"*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$1\r\n" + number + "\r\n",
					PropertyType.RESPONSE_TOPIC.of("clients/setter/replies"),
					PropertyType.CORRELATION_DATA.of(new byte[] { 1, (byte) number })));
			client.acknowledge(client.receivePublish());
			client.receive(PacketType.PUBACK);
		}

	}

}
