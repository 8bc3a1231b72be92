package io.statestore.boot;

import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

import io.statestore.boot.internal.PropertyChecks;
import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.broker.security.Authenticator;
import io.statestore.broker.security.CertificateAuthenticator;
import io.statestore.broker.security.CertificateUsernameField;
import io.statestore.broker.security.PasswordFile;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Logins for the embedded broker: first those from properties, then those from beans. If
 * there are any, this application's client logs in as the {@value #USERNAME} user.
 */
class EmbeddedLogin {

	/** User name with which this application's client logs in. */
	static final String USERNAME = "application";

	/**
	 * Password of this application's client. Static, so that a broker kept by DevTools
	 * still accepts it after a restart.
	 */
	private static final String PASSWORD = UUID.randomUUID().toString();

	private static final String PREFIX = "statestore.embedded.";

	private final EmbeddedProperties properties;

	private final List<Authenticator> beans;

	EmbeddedLogin(EmbeddedProperties properties, List<Authenticator> beans) {
		this.properties = properties;
		this.beans = List.copyOf(beans);
	}

	/** Returns whether users can log in. */
	boolean isConfigured() {
		return !this.beans.isEmpty() || this.properties.usersFile() != null
				|| this.properties.certificateUsernameField() != null;
	}

	/**
	 * Returns the user name of this application's client; {@code null} without logins.
	 */
	@Nullable String username() {
		return isConfigured() ? USERNAME : null;
	}

	/** Returns the password of this application's client; {@code null} without logins. */
	@Nullable String password() {
		return isConfigured() ? PASSWORD : null;
	}

	/**
	 * Adds the logins to a builder.
	 * @param builder builder for the broker
	 * @param certificates whether the broker requests client certificates
	 * @throws InvalidConfigurationPropertyValueException if a property is invalid
	 */
	void apply(StateStoreBrokerBuilder builder, boolean certificates) {
		if (isConfigured()) {
			builder.account(USERNAME, PASSWORD);
		}
		String users = this.properties.usersFile();
		if (users != null) {
			builder.authenticator(read(users));
		}
		CertificateUsernameField certificateUsernameField = this.properties.certificateUsernameField();
		if (certificateUsernameField != null) {
			PropertyChecks.require(certificates, PREFIX + "certificate-username-field", certificateUsernameField,
					"It has no effect without certificates of clients. Set '" + PREFIX
							+ "ssl.client-auth' as well, or remove this property");
			builder.authenticator(new CertificateAuthenticator(certificateUsernameField));
		}
		this.beans.forEach(builder::authenticator);
		if (this.properties.anonymous() != null) {
			builder.anonymous(this.properties.anonymous());
		}
	}

	private static PasswordFile read(String file) {
		try {
			return PasswordFile.of(Path.of(file));
		}
		catch (IllegalArgumentException ex) {
			throw PropertyChecks.invalid(PREFIX + "users-file", file, String.valueOf(ex.getMessage()), ex);
		}
	}

}
