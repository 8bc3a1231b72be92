package io.statestore.boot;

import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;

import io.statestore.boot.internal.OptionProperties;
import io.statestore.boot.internal.PropertyChecks;
import io.statestore.broker.security.ServerTls.ClientAuth;
import io.statestore.broker.security.ServerTls;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslManagerBundle;
import org.springframework.util.StringUtils;

/** TLS settings for the embedded broker and for the client in the same application. */
class EmbeddedSsl {

	private static final String PREFIX = "statestore.embedded.ssl.";

	private static final Logger logger = LoggerFactory.getLogger(EmbeddedSsl.class);

	private final String bundleName;

	private final @Nullable String clientBundleName;

	private final ClientAuth clientAuth;

	private final SslBundles bundles;

	/**
	 * Bundle that the broker uses, which is not the latest bundle if that is unusable;
	 * {@code null} if the broker was not created with these settings.
	 */
	private volatile @Nullable SslBundle used;

	private EmbeddedSsl(String bundleName, @Nullable String clientBundleName, ClientAuth clientAuth,
			SslBundles bundles) {
		this.bundleName = bundleName;
		this.clientBundleName = clientBundleName;
		this.clientAuth = clientAuth;
		this.bundles = bundles;
	}

	/**
	 * Creates the settings from properties.
	 * @param properties broker properties
	 * @param client client properties
	 * @param sslBundles provides the bundles of broker and client
	 * @return the settings; {@code null} if the broker uses plain TCP
	 * @throws InvalidConfigurationPropertyValueException if the properties contradict
	 * each other or a bundle cannot be used
	 */
	static @Nullable EmbeddedSsl of(EmbeddedProperties.Ssl properties, StateStoreProperties client,
			ObjectProvider<SslBundles> sslBundles) {
		String name = properties.bundle();
		if (!StringUtils.hasLength(name)) {
			PropertyChecks.require(properties.clientAuth() == null, PREFIX + "client-auth", properties.clientAuth(),
					"It has no effect without TLS. Set '" + PREFIX + "bundle' as well, or remove the property");
			return null;
		}
		ClientAuth clientAuth = properties.clientAuth();
		ClientAuth auth = (clientAuth != null) ? clientAuth : ClientAuth.NONE;
		String clientBundle = client.ssl().bundle();
		if (!StringUtils.hasLength(clientBundle)) {
			clientBundle = null;
		}
		SslBundles bundles = sslBundles.getObject();
		SslBundle bundle = OptionProperties.bundle(bundles, PREFIX + "bundle", name);
		PropertyChecks.require(auth == ClientAuth.NONE || bundle.getStores().getTrustStore() != null,
				PREFIX + "client-auth", clientAuth,
				"It requires certificate authorities that issue certificates of clients. Add a trust store to the "
						+ "SSL bundle '" + name + "'");
		PropertyChecks.require(auth != ClientAuth.NEED || clientBundle != null, PREFIX + "client-auth", clientAuth,
				"The client in this application then needs a certificate, too. Set 'statestore.ssl.bundle' to an "
						+ "SSL bundle with a certificate for clients");
		if (clientBundle != null) {
			OptionProperties.bundle(bundles, "statestore.ssl.bundle", clientBundle);
		}
		return new EmbeddedSsl(name, clientBundle, auth, bundles);
	}

	/** Returns whether the broker requests client certificates. */
	boolean requestsCertificates() {
		return this.clientAuth != ClientAuth.NONE;
	}

	/** Returns the broker's settings, which reflect later updates of the bundle. */
	ServerTls serverTls() {
		return ServerTls.of(context(this.bundles, this.bundleName, "New connections", (bundle) -> this.used = bundle),
				this.clientAuth);
	}

	/**
	 * Returns a supplier of a bundle's SSL context, which reflects later updates of the
	 * bundle.
	 * @param connections name for the connections that use an update, for the log
	 * @param used receives each bundle that comes into use
	 */
	static Supplier<SSLContext> context(SslBundles bundles, String name, String connections, Consumer<SslBundle> used) {
		SslBundle first = bundles.getBundle(name);
		AtomicReference<SSLContext> context = new AtomicReference<>(first.createSslContext());
		used.accept(first);
		bundles.addBundleUpdateHandler(name, (updated) -> {
			try {
				SSLContext next = updated.createSslContext();
				used.accept(updated);
				context.set(next);
				logger.info("{} use the updated SSL bundle '{}'", connections, name);
			}
			catch (RuntimeException ex) {
				logger.error("The updated SSL bundle '{}' is not usable. The embedded broker continues with the "
						+ "previous one; correct the files of the bundle", name, ex);
			}
		});
		return context::get;
	}

	/**
	 * Returns the client's current certificates: its own certificate from
	 * {@code statestore.ssl.bundle}, if set, and trust in the broker's certificate only,
	 * whichever host it names.
	 */
	SslBundle clientBundle() {
		SslBundle used = this.used;
		SslBundle server = (used != null) ? used : this.bundles.getBundle(this.bundleName);
		SslBundle own = (this.clientBundleName != null) ? this.bundles.getBundle(this.clientBundleName) : null;
		List<Certificate> certificates = certificates(server.getStores().getKeyStore());
		if (certificates.isEmpty()) {
			// The broker's bundle was not created from a key store.
			return (own != null) ? own : server;
		}
		SslManagerBundle trust = SslManagerBundle.from(new KnownServer(certificates));
		SslManagerBundle managers = (own != null)
				? SslManagerBundle.of(own.getManagers().getKeyManagerFactory(), trust.getTrustManagerFactory()) : trust;
		return SslBundle.of(null, null, null, null, managers);
	}

	/**
	 * Registers a handler for updates of the client's certificate. An update of the
	 * broker's certificate does not affect open connections.
	 * @param handler handler to call after each update
	 */
	void addClientUpdateHandler(Runnable handler) {
		if (this.clientBundleName != null && !this.clientBundleName.equals(this.bundleName)) {
			this.bundles.addBundleUpdateHandler(this.clientBundleName, (bundle) -> handler.run());
		}
	}

	private static List<Certificate> certificates(@Nullable KeyStore store) {
		List<Certificate> certificates = new ArrayList<>();
		try {
			if (store != null) {
				for (String alias : Collections.list(store.aliases())) {
					if (store.isKeyEntry(alias)) {
						certificates.add(store.getCertificate(alias));
					}
				}
			}
		}
		catch (KeyStoreException ex) {
			throw new IllegalStateException("The key store of the SSL bundle of the embedded broker is not loaded", ex);
		}
		return certificates;
	}

}
