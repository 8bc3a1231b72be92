package io.statestore.broker.mqtt;

import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import io.netty.channel.Channel;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttProperties.StringProperty;
import io.netty.handler.codec.mqtt.MqttProperties.UserProperty;
import io.netty.util.concurrent.Future;
import io.statestore.broker.login.LoginResult;
import io.statestore.broker.login.LoginResult.Accepted;
import io.statestore.broker.login.LoginResult.Refused;
import io.statestore.broker.login.Logins;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.security.Client;
import io.statestore.broker.security.Credentials;
import io.statestore.broker.security.Permissions;
import io.statestore.broker.security.RulesFile;
import io.statestore.broker.server.ClientLog;
import io.statestore.protocol.UserProperties;
import org.jspecify.annotations.Nullable;

/**
 * The exchange of CONNECT and CONNACK on one connection. Closes the connection if the
 * exchange takes more than {@value #TIMEOUT_SECONDS} seconds before or after the
 * credentials are verified. Used only on the connection's event loop.
 */
final class ConnectExchange {

	/**
	 * Timeout that includes the TLS handshake and the time until the last byte of the
	 * CONNECT.
	 */
	private static final long TIMEOUT_SECONDS = 10;

	/**
	 * Number of attempts to claim a client id that belongs to another principal, whose
	 * client may have just disconnected.
	 */
	private static final int CLAIM_ATTEMPTS = 25;

	private static final long CLAIM_INTERVAL_MILLIS = 20;

	private static final MqttConnectReturnCode QUOTA_EXCEEDED = MqttConnectReturnCode.CONNECTION_REFUSED_QUOTA_EXCEEDED;

	/** Matches a client id that does not need quotes in a shell. */
	private static final Pattern PLAIN_ARGUMENT = Pattern.compile("\\w[\\w./:@-]*");

	private final MqttConnection connection;

	private final ClientLink link;

	private final Logins logins;

	private final ClientIdOwners owners;

	private final ClientLog clientLog;

	private final ClientAdmission admission;

	private final Reauthentication reauthentication;

	/**
	 * Whether the client is waiting for its login, its client id, or the execution of its
	 * CONNECT.
	 */
	private boolean waiting;

	private Future<?> timeout;

	/** Cancels the verification of the credentials, {@code null} before it starts. */
	private @Nullable Runnable cancelLogin;

	/** The CONNACK for wrong credentials, to be sent after a delay. */
	private @Nullable MqttMessage delayedRefusal;

	/** Arrival number of the CONNECT. */
	private long arrival;

	/** The CONNECT whose login is being verified, {@code null} once it is dropped. */
	private @Nullable MqttConnectMessage verifying;

	/** Whether the connection has reserved its client id. */
	private boolean claimed;

	/** Whether the CONNECT has no client id. */
	private boolean assignsClientId;

	/**
	 * Creates an exchange that begins with the first packet.
	 * @param connection the connection that received the CONNECT
	 * @param logins verifies credentials
	 * @param owners tracks the owners of client ids
	 * @param clientLog logs refused clients
	 */
	ConnectExchange(MqttConnection connection, Logins logins, ClientIdOwners owners, ClientLog clientLog) {
		this.connection = connection;
		this.link = connection.link();
		this.logins = logins;
		this.owners = owners;
		this.clientLog = clientLog;
		this.admission = connection.admission();
		this.reauthentication = new Reauthentication(this.link, logins, connection.settings().time());
		this.timeout = closeLater();
	}

	MqttConnection connection() {
		return this.connection;
	}

	private Future<?> closeLater() {
		return this.link.context().executor().schedule(this.link::abort, TIMEOUT_SECONDS, TimeUnit.SECONDS);
	}

	private Channel channel() {
		return this.link.context().channel();
	}

	private InetAddress address() {
		return ClientCredentials.address(channel());
	}

	private void setWaiting(boolean waiting) {
		this.waiting = waiting;
		this.connection.setWaiting(waiting);
	}

	/** Resumes handling the CONNECT, after which the client may have to wait again. */
	private void resume(Runnable next) {
		this.waiting = false;
		this.link.readingStarted();
		try {
			next.run();
		}
		finally {
			this.link.readingPaused();
		}
		this.connection.setWaiting(this.waiting);
	}

	/**
	 * Handles the CONNECT: refuses the client, or executes the CONNECT, possibly later.
	 */
	void read(MqttConnectMessage received) {
		this.arrival = this.owners.arrived();
		MqttConnectMessage connect = ConnectRules.withClientId(received);
		MqttConnectReturnCode violation = ConnectRules.check(connect);
		if (violation != null) {
			this.link.refuse(ConnectRules.connack(connect, violation));
			return;
		}
		this.assignsClientId = ConnectRules.hasNoClientId(received);
		Credentials credentials = ClientCredentials.of(channel(), connect);
		LoginResult result = this.logins.decide(credentials);
		if (result != null) {
			complete(connect, result);
			return;
		}
		long bytes = this.admission.costOfLogin(connect);
		// The login queue limits the total, because these clients have not logged in yet.
		if (!this.link.memory().tryReserve(MemoryUse.LOGIN, bytes)) {
			this.clientLog.warn(
					"Refused client '{}' at {}: the memory for clients is exhausted. " + Limits.RAISE_MEMORY,
					credentials.clientId(), ClientAddress.of(channel()), this.link.memory().largestHolder());
			this.logins.rejectedForMemory(credentials);
			this.link.refuse(ConnectRules.connack(connect, QUOTA_EXCEEDED));
			return;
		}
		this.timeout.cancel(false);
		this.verifying = connect;
		setWaiting(true);
		this.cancelLogin = this.logins.verify(credentials, bytes, this.link.context().executor(), this::prepareRefusal,
				this::verified);
	}

	/**
	 * Drops the CONNECT of a client with wrong credentials and prepares the delayed
	 * refusal.
	 */
	private void prepareRefusal() {
		if (this.verifying != null) {
			this.delayedRefusal = refusedLogin(this.verifying, Refused.BAD_CREDENTIALS);
			this.verifying = null;
			this.link.memory().set(MemoryUse.LOGIN, 0);
		}
	}

	private void verified(LoginResult result) {
		if (!channel().isActive() || this.link.isEnded()) {
			return;
		}
		this.timeout = closeLater();
		MqttConnectMessage connect = this.verifying;
		this.verifying = null;
		if (this.delayedRefusal != null) {
			this.link.refuse(this.delayedRefusal);
		}
		else if (connect != null) {
			resume(() -> complete(connect, result));
		}
	}

	private void complete(MqttConnectMessage connect, LoginResult result) {
		if (result instanceof Accepted accepted) {
			authorize(connect, accepted);
		}
		else if (result instanceof Refused refused) {
			this.link.refuse(refusedLogin(connect, refused));
		}
	}

	/** Logs a refused login and returns the CONNACK for it. */
	private MqttMessage refusedLogin(MqttConnectMessage connect, Refused refused) {
		this.clientLog.warn("Refused client '{}' at {}: {}", connect.payload().clientIdentifier(),
				ClientAddress.of(channel()), ConnectRules.describe(refused));
		return ConnectRules.connack(connect, ConnectRules.returnCode(refused));
	}

	private void authorize(MqttConnectMessage connect, Accepted accepted) {
		Client client = new Client(connect.payload().clientIdentifier(), accepted.authentication().principal());
		if (!this.admission.tryReserve(connect)) {
			refuse(client, "no memory for clients", ConnectRules.connack(connect, QUOTA_EXCEEDED));
			return;
		}
		Permissions permissions = this.admission.authorize(client);
		if (permissions == null) {
			refuse(client, "the authorizer failed", refusedLogin(connect, Refused.UNAVAILABLE));
			return;
		}
		if (!permissions.mayConnect()) {
			this.clientLog.warn(
					"Refused client '{}' of '{}': no rule permits its client id. If this user may use it, add the rule: {}",
					client.clientId(), client.principal(), RulesFile.connectRule(client));
			refuse(client, "no rule permits its client id", ConnectRules.connack(connect,
					MqttConnectReturnCode.CONNECTION_REFUSED_CLIENT_IDENTIFIER_NOT_VALID));
			return;
		}
		claim(connect, this.connection.access(client, permissions), accepted, CLAIM_ATTEMPTS);
	}

	private void refuse(Client client, String reason, MqttMessage connack) {
		this.logins.rejected(client, address(), reason);
		this.link.refuse(connack);
	}

	private void claim(MqttConnectMessage connect, TopicAccess access, Accepted accepted, int attempts) {
		Client client = access.client();
		ClientIdOwners.Refusal refusal = this.owners.claim(client, this.arrival);
		if (refusal == null) {
			this.link.connecting(client.clientId(), connect.variableHeader().version());
			this.claimed = true;
			admit(connect, access, accepted);
		}
		else if (refusal.isSuperseded()) {
			this.clientLog.info("Closed a connection of client '{}' at {}: it has connected again during its login",
					client.clientId(), ClientAddress.of(channel()));
			this.logins.rejected(client, address(), "the client has connected again");
			this.link.end();
			this.link.close();
		}
		else if (attempts > 1) {
			setWaiting(true);
			this.link.context()
				.executor()
				.schedule(() -> claimAgain(connect, access, accepted, attempts - 1), CLAIM_INTERVAL_MILLIS,
						TimeUnit.MILLISECONDS);
		}
		else {
			this.clientLog.warn(
					"Refused client '{}' of '{}': its client id belongs to '{}', who has a connection or session with it. "
							+ "Choose another client id, or end that session: statestore sessions end {}",
					client.clientId(), client.principal(), refusal.owner(), argument(client.clientId()));
			refuse(client, "client id of another user", ConnectRules.connack(connect,
					MqttConnectReturnCode.CONNECTION_REFUSED_CLIENT_IDENTIFIER_NOT_VALID));
		}
	}

	private void claimAgain(MqttConnectMessage connect, TopicAccess access, Accepted accepted, int attempts) {
		if (channel().isActive() && !this.link.isEnded()) {
			resume(() -> claim(connect, access, accepted, attempts));
		}
	}

	/** Returns a client id as a shell command argument. */
	private static String argument(String clientId) {
		return PLAIN_ARGUMENT.matcher(clientId).matches() ? clientId : "'" + clientId.replace("'", "'\\''") + "'";
	}

	private void admit(MqttConnectMessage connect, TopicAccess access, Accepted accepted) {
		Client client = access.client();
		if (!this.admission.tryAdmit(client)) {
			refuse(client, "too many connections of this user", ConnectRules.connack(connect, QUOTA_EXCEEDED));
			return;
		}
		if (connect.variableHeader().isWillFlag() && !access.mayPublishWill(connect.payload().willTopic())) {
			refuse(client, "its will is denied",
					ConnectRules.connack(connect, MqttConnectReturnCode.CONNECTION_REFUSED_NOT_AUTHORIZED_5));
			return;
		}
		execute(connect, access, accepted);
	}

	private void execute(MqttConnectMessage connect, TopicAccess access, Accepted accepted) {
		Client client = access.client();
		int keepAliveSeconds = connect.variableHeader().keepAliveTimeSeconds();
		String method = ClientCredentials.method(connect.variableHeader().properties());
		MqttProperties properties = ConnectRules.isMqtt5(connect) ? properties(connect, method) : new MqttProperties();
		// Created here because the CONNECT is not kept until the outcome is known.
		MqttMessage refusal = ConnectRules.connack(connect, QUOTA_EXCEEDED);
		// Reading is suspended only if the outcome is not known immediately.
		this.waiting = true;
		this.connection.connect(connect, access, (begun) -> {
			if (begun == null) {
				refuse(client, "its session is refused", refusal);
				return;
			}
			if (begun.reducedExpiry() != null) {
				properties.add(new IntegerProperty(MqttProperties.SESSION_EXPIRY_INTERVAL, begun.reducedExpiry()));
			}
			resume(() -> {
				this.logins.admitted(client, address());
				this.timeout.cancel(false);
				this.link.context()
					.pipeline()
					.addFirst(new KeepAlive(keepAliveSeconds, this.connection::keepAliveExpired));
				this.reauthentication.accepted(method, accepted);
				this.link.accepted();
				this.link.write(MqttMessageBuilders.connAck()
					.returnCode(MqttConnectReturnCode.CONNECTION_ACCEPTED)
					.sessionPresent(begun.present())
					.properties(properties)
					.build());
			});
		});
		this.connection.setWaiting(this.waiting);
	}

	/** Returns the properties for the CONNACK that accepts an MQTT 5 client. */
	private MqttProperties properties(MqttConnectMessage connect, @Nullable String method) {
		MqttProperties properties = new MqttProperties();
		properties
			.add(new IntegerProperty(MqttProperties.MAXIMUM_PACKET_SIZE, this.connection.settings().maxPacketSize()));
		properties.add(new IntegerProperty(MqttProperties.RECEIVE_MAXIMUM, IncomingMessages.RECEIVE_MAXIMUM));
		properties.add(new IntegerProperty(MqttProperties.TOPIC_ALIAS_MAXIMUM, 0));
		if (connect.variableHeader().keepAliveTimeSeconds() == 0) {
			properties.add(new IntegerProperty(MqttProperties.SERVER_KEEP_ALIVE, KeepAlive.MAX_SECONDS));
		}
		if (this.assignsClientId) {
			properties.add(new StringProperty(MqttProperties.ASSIGNED_CLIENT_IDENTIFIER, this.link.clientId()));
		}
		String leader = ClientAddress.leader(channel(), connect);
		if (leader != null) {
			properties.add(new UserProperty(UserProperties.LEADER, leader));
		}
		if (method != null) {
			properties.add(new StringProperty(MqttProperties.AUTHENTICATION_METHOD, method));
		}
		return properties;
	}

	/** Handles an AUTH packet. */
	void readAuth(MqttMessage auth) {
		this.reauthentication.read(auth);
	}

	/** Ends the exchange when the connection is closed. */
	void cancel() {
		this.timeout.cancel(false);
		if (this.cancelLogin != null) {
			this.cancelLogin.run();
		}
		this.reauthentication.close();
		if (this.claimed) {
			this.owners.release(this.link.clientId());
		}
	}

}
