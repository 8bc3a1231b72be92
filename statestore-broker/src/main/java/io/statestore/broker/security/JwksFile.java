package io.statestore.broker.security;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.List;
import java.util.Set;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;

/**
 * Verifies signed tokens (JWT, RFC 7519) with the public keys in a JWKS file (RFC 7517),
 * such as the file that a Kubernetes API server provides at {@code /openid/v1/jwks}. The
 * file is read again within two seconds of a change, so that keys can be rotated.
 * Thread-safe. Requires the library {@code com.nimbusds:nimbus-jose-jwt}.
 * <p>
 * A token must be signed with RSA or ECDSA and must have the expected issuer and
 * audience, a subject, and an expiry. The principal has the subject's name. The
 * authentication expires with the token, without tolerance for clock skew.
 */
public final class JwksFile implements TokenVerifier {

	/**
	 * Public-key algorithms. With other algorithms, an attacker could use a public key as
	 * a shared secret.
	 */
	private static final Set<JWSAlgorithm> ALGORITHMS = Set.of(JWSAlgorithm.RS256, JWSAlgorithm.RS384,
			JWSAlgorithm.RS512, JWSAlgorithm.PS256, JWSAlgorithm.PS384, JWSAlgorithm.PS512, JWSAlgorithm.ES256,
			JWSAlgorithm.ES384, JWSAlgorithm.ES512);

	/** Tolerance for the issuer's clock at the beginning of validity, in seconds. */
	private static final int MAX_CLOCK_SKEW_SECONDS = 30;

	private final WatchedFile<DefaultJWTProcessor<SecurityContext>> file;

	private final String issuer;

	private final InstantSource clock;

	private JwksFile(Path file, String issuer, String audience, InstantSource clock) {
		this.issuer = issuer;
		this.clock = clock;
		this.file = WatchedFile.of(List.of(file),
				(contents) -> processor(keys(contents.get(0)), issuer, audience, clock), (before, after) -> {
				});
	}

	/**
	 * Reads a JWKS file.
	 * @param file the JWKS file
	 * @param issuer required issuer of tokens ({@code iss})
	 * @param audience required audience of tokens ({@code aud})
	 * @return a verifier, which follows changes to the file
	 * @throws IllegalArgumentException if the file is not readable or does not contain a
	 * public key, or if the issuer or the audience is empty
	 */
	public static JwksFile of(Path file, String issuer, String audience) {
		return of(file, issuer, audience, InstantSource.system());
	}

	static JwksFile of(Path file, String issuer, String audience, InstantSource clock) {
		if (issuer.isBlank() || audience.isBlank()) {
			throw new IllegalArgumentException("The issuer and the audience of tokens must not be empty");
		}
		return new JwksFile(file, issuer, audience, clock);
	}

	private static JWKSet keys(byte[] content) {
		JWKSet keys;
		try {
			keys = JWKSet.parse(new String(content, StandardCharsets.UTF_8)).toPublicJWKSet();
		}
		catch (ParseException ex) {
			throw new IllegalArgumentException("the file is not a JWKS. Copy the keys of the issuer again", ex);
		}
		List<JWK> usable = keys.getKeys();
		if (usable.isEmpty()) {
			throw new IllegalArgumentException(
					"the file contains no public key. Copy the keys of the issuer, such as the output of "
							+ "'kubectl get --raw /openid/v1/jwks'");
		}
		return keys;
	}

	private static DefaultJWTProcessor<SecurityContext> processor(JWKSet keys, String issuer, String audience,
			InstantSource clock) {
		DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();
		processor.setJWSKeySelector(new JWSVerificationKeySelector<>(ALGORITHMS, new ImmutableJWKSet<>(keys)));
		DefaultJWTClaimsVerifier<SecurityContext> claims = new DefaultJWTClaimsVerifier<>(audience,
				new JWTClaimsSet.Builder().issuer(issuer).build(), Set.of("sub", "exp")) {

			@Override
			protected Date currentTime() {
				return Date.from(clock.instant());
			}

		};
		claims.setMaxClockSkew(MAX_CLOCK_SKEW_SECONDS);
		processor.setJWTClaimsSetVerifier(claims);
		return processor;
	}

	@Override
	public Authentication verify(String token) throws AuthenticationException {
		JWTClaimsSet claims;
		try {
			SignedJWT parsed = SignedJWT.parse(token);
			claims = this.file.current().process(parsed, null);
			// The library also accepts a number, contrary to RFC 7519, section 4.1.2.
			if (!(parsed.getPayload().toJSONObject().get("sub") instanceof String)) {
				throw new AuthenticationException("the token's subject is not a string");
			}
		}
		catch (ParseException ex) {
			throw new AuthenticationException("the token is not a signed JWT");
		}
		catch (BadJOSEException | JOSEException ex) {
			throw new AuthenticationException("the token is not valid: " + ex.getMessage());
		}
		Instant expiry = claims.getExpirationTime().toInstant();
		if (!expiry.isAfter(this.clock.instant())) {
			throw new AuthenticationException("the token has expired");
		}
		return new Authentication(PrincipalNames.principal(claims.getSubject(), "the subject of the token"), expiry);
	}

	@Override
	public String toString() {
		return "issuer " + this.issuer;
	}

}
