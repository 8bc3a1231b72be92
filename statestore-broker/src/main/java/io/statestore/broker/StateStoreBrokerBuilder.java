package io.statestore.broker;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

import io.statestore.broker.engine.Quota;
import io.statestore.broker.memory.HeapPlan;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.mqtt.MqttBrokerSettings;
import io.statestore.broker.mqtt.MqttBrokerSettings.Account;
import io.statestore.broker.server.ChangeJournal;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreServerOptions;
import io.statestore.protocol.WireForm;
import org.jspecify.annotations.Nullable;

/**
 * The options of a {@link StateStoreBroker}. Every method throws an
 * {@link IllegalArgumentException} that names the option, the value and what is valid.
 * Not safe for use by several threads.
 */
public final class StateStoreBrokerBuilder {

	private static final int MAX_PORT = 65_535;

	private static final int MIN_PACKET_SIZE = 1024;

	private static final long MIN_CLIENT_MEMORY = 1 << 20;

	private static final long MIN_MEMORY_PER_CLIENT = 64 << 10;

	/** What the length field of MQTT can express. */
	private static final int MAX_PACKET_SIZE = 268_435_455;

	/** The largest remaining length of three bytes. */
	private static final int MAX_CONNECT_SIZE = 2_097_151;

	private String host = "localhost";

	private int port;

	private @Nullable Account account;

	private final HeapPlan heap = HeapPlan.ofThisJvm();

	private long maxKeys = this.heap.maxKeys();

	private long maxBytes = this.heap.maxBytes();

	private long clientMemory = this.heap.clientMemory();

	private @Nullable Long memoryPerClient;

	private int maxPacketSize = 16 * 1024 * 1024;

	private int maxConnectSize = MqttBrokerSettings.DEFAULT_MAX_HEADER_SIZE;

	private int maxPropertiesSize = MqttBrokerSettings.DEFAULT_MAX_HEADER_SIZE;

	private WireForm wireForm = WireForm.PRACTICE;

	private @Nullable ChangeJournal journal;

	StateStoreBrokerBuilder() {
	}

	/**
	 * Where to listen.
	 * @param host a name or address of this machine; {@code 0.0.0.0} for all of them.
	 * Default {@code localhost}
	 */
	public StateStoreBrokerBuilder host(String host) {
		if (host.isBlank() || host.indexOf(',') >= 0) {
			throw invalid("host", host, "one host name or address, such as localhost or 0.0.0.0");
		}
		this.host = host;
		return this;
	}

	/**
	 * The TCP port to listen on.
	 * @param port 0, the default, picks a free one
	 */
	public StateStoreBrokerBuilder port(int port) {
		this.port = (int) within("port", port, 0, MAX_PORT);
		return this;
	}

	/**
	 * Let only clients in that know a user name and password. Without this everybody may
	 * connect.
	 */
	public StateStoreBrokerBuilder account(String user, String password) {
		if (user.isEmpty()) {
			throw invalid("user", user, "a user name that is not empty");
		}
		if (password.isEmpty()) {
			throw new IllegalArgumentException("Option 'password' is empty; valid is a password that is not empty");
		}
		this.account = new Account(user, password.getBytes(StandardCharsets.UTF_8));
		return this;
	}

	/**
	 * How many keys the store holds before it answers with "the quota has been exceeded".
	 * @param maxKeys at least 1. Default one per 2 KiB of this JVM's maximum heap
	 */
	public StateStoreBrokerBuilder maxKeys(long maxKeys) {
		this.maxKeys = within("maxKeys", maxKeys, 1, Long.MAX_VALUE);
		return this;
	}

	/**
	 * How many bytes of keys and values the store holds before it answers with "the quota
	 * has been exceeded".
	 * @param maxBytes at least 1. Default a quarter of this JVM's maximum heap
	 */
	public StateStoreBrokerBuilder maxBytes(long maxBytes) {
		this.maxBytes = within("maxBytes", maxBytes, 1, Long.MAX_VALUE);
		return this;
	}

	/**
	 * Sets the memory that all clients together may hold: connections, packets on the
	 * way, waiting messages, and observed keys. A client that needs more is refused, or
	 * disconnected with the reason code 0x97, Quota exceeded.
	 * @param clientMemory in bytes, at least 1 MiB. Default a quarter of this JVM's
	 * maximum heap
	 * @return this builder
	 */
	public StateStoreBrokerBuilder clientMemory(long clientMemory) {
		this.clientMemory = within("clientMemory", clientMemory, MIN_CLIENT_MEMORY, Long.MAX_VALUE);
		return this;
	}

	/**
	 * Sets the part of the {@linkplain #clientMemory(long) client memory} that one client
	 * may hold.
	 * @param memoryPerClient in bytes, at least 64 KiB. Default a quarter of the client
	 * memory
	 * @return this builder
	 */
	public StateStoreBrokerBuilder memoryPerClient(long memoryPerClient) {
		this.memoryPerClient = within("memoryPerClient", memoryPerClient, MIN_MEMORY_PER_CLIENT, Long.MAX_VALUE);
		return this;
	}

	/**
	 * The largest MQTT packet that clients may send, and so about the largest value.
	 * Clients learn it when they connect.
	 * @param maxPacketSize in bytes, 1024 to 268,435,455. Default 16 MiB
	 */
	public StateStoreBrokerBuilder maxPacketSize(int maxPacketSize) {
		this.maxPacketSize = (int) within("maxPacketSize", maxPacketSize, MIN_PACKET_SIZE, MAX_PACKET_SIZE);
		return this;
	}

	/**
	 * Sets the largest CONNECT that clients may send, which a client needs no login for.
	 * A larger one is refused with the reason code 0x95, Packet too large.
	 * @param maxConnectSize in bytes, 1024 to 2,097,151. Default 64 KiB
	 * @return this builder
	 */
	public StateStoreBrokerBuilder maxConnectSize(int maxConnectSize) {
		this.maxConnectSize = (int) within("maxConnectSize", maxConnectSize, MIN_PACKET_SIZE, MAX_CONNECT_SIZE);
		return this;
	}

	/**
	 * Sets the largest total length of the properties of one MQTT packet. Decoded
	 * properties take many times their size in memory. A client that sends more is
	 * disconnected with the reason code 0x95, Packet too large.
	 * @param maxPropertiesSize in bytes, 1024 to 268,435,455. Default 64 KiB
	 * @return this builder
	 */
	public StateStoreBrokerBuilder maxPropertiesSize(int maxPropertiesSize) {
		this.maxPropertiesSize = (int) within("maxPropertiesSize", maxPropertiesSize, MIN_PACKET_SIZE, MAX_PACKET_SIZE);
		return this;
	}

	/**
	 * Which form replies have where the published articles and practice differ (protocol
	 * section 9).
	 * @param wireForm default {@link WireForm#PRACTICE}
	 */
	public StateStoreBrokerBuilder wireForm(WireForm wireForm) {
		this.wireForm = Objects.requireNonNull(wireForm, "'wireForm' must not be null");
		return this;
	}

	/**
	 * Sets the journal of all changes. No client sees a change that is not in the
	 * journal. While it cannot be written, every request is refused with "the quota has
	 * been exceeded", and while more than a quarter of the heap waits for it, too.
	 * @param journal not closed by the broker. Default none
	 */
	public StateStoreBrokerBuilder journal(ChangeJournal journal) {
		this.journal = Objects.requireNonNull(journal, "'journal' must not be null");
		return this;
	}

	/**
	 * Start a broker. Returns when clients can connect.
	 * @throws IllegalStateException if it cannot listen where it should; the message
	 * names host, port and reason
	 * @throws IllegalArgumentException if the limits together need more than the heap
	 * @throws RuntimeException what the journal throws if it cannot be written
	 */
	public StateStoreBroker start() {
		this.heap.require(this.maxKeys, this.maxBytes, this.clientMemory);
		MemoryBudget budget = (this.memoryPerClient != null) ? new MemoryBudget(this.clientMemory, this.memoryPerClient)
				: MemoryBudget.of(this.clientMemory);
		StateStoreServerOptions options = StateStoreServerOptions.defaults()
			.withQuota(new Quota(this.maxKeys, this.maxBytes))
			.withWireForm(this.wireForm);
		return new StateStoreBroker(
				new MqttBrokerSettings(this.host, this.port, this.maxPacketSize, this.maxConnectSize,
						this.maxPropertiesSize, this.account),
				new StateStoreServer((this.journal != null) ? options.withJournal(this.journal) : options), budget);
	}

	private static long within(String option, long value, long min, long max) {
		if (value < min || value > max) {
			throw invalid(option, value, min + " to " + max);
		}
		return value;
	}

	private static IllegalArgumentException invalid(String option, Object value, String valid) {
		return new IllegalArgumentException("Option '" + option + "' is '" + value + "'; valid is " + valid);
	}

}
