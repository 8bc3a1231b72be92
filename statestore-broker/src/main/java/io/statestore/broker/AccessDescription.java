package io.statestore.broker;

import java.util.stream.Collectors;

import io.statestore.broker.mqtt.MqttSecurity;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.Authenticator;
import io.statestore.broker.security.ServerTls;
import io.statestore.broker.security.ServerTls.ClientAuth;
import org.jspecify.annotations.Nullable;

/** Describes which clients may connect, for the log line at startup. */
final class AccessDescription {

	private AccessDescription() {
	}

	static String of(MqttSecurity security, @Nullable ServerTls tls) {
		String clients = of(security);
		return (tls != null && tls.clientAuth() == ClientAuth.NEED)
				? clients + ", all of them with a client certificate" : clients;
	}

	private static String of(MqttSecurity security) {
		String users = security.authenticators()
			.stream()
			.map(AccessDescription::describe)
			.collect(Collectors.joining(", "));
		String anonymous = describe(security.anonymous());
		if (users.isEmpty()) {
			return (security.anonymous() == AnonymousAccess.NONE) ? "no clients: no users are configured" : anonymous;
		}
		return (security.anonymous() == AnonymousAccess.NONE) ? users : users + ", " + anonymous;
	}

	private static String describe(AnonymousAccess anonymous) {
		return (anonymous == AnonymousAccess.ALL) ? "anonymous clients at all addresses"
				: "anonymous clients on this machine only";
	}

	/**
	 * Returns the description that the project's own authenticators provide, otherwise
	 * the class name.
	 */
	private static String describe(Authenticator authenticator) {
		return authenticator.getClass().getName().startsWith(Authenticator.class.getPackageName() + '.')
				? authenticator.toString() : "clients that " + authenticator.getClass().getSimpleName() + " accepts";
	}

}
