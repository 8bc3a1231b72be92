package io.statestore.sample.room;

import java.io.IOException;
import java.util.List;
import java.util.Locale;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses requests that other websites send from the user's browser, except for links to
 * the page. Pages of other websites cannot set the {@code X-Requested-With} header or
 * change {@code Sec-Fetch-Site}. If their host name resolves to this machine, it is not
 * accepted as a host.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class RoomGuard extends OncePerRequestFilter {

	private static final String CONTENT_SECURITY_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; "
			+ "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

	private final List<String> hosts;

	RoomGuard(@Value("${server.address:localhost}") String address) {
		String name = address.toLowerCase(Locale.ROOT);
		this.hosts = List.of("localhost", "127.0.0.1", "[::1]", name, '[' + name + ']');
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		response.setHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY);
		response.setHeader("X-Content-Type-Options", "nosniff");
		response.setHeader("Referrer-Policy", "no-referrer");
		response.setHeader("Cache-Control", "no-cache");
		String problem = problem(request);
		if (problem == null) {
			chain.doFilter(request, response);
			return;
		}
		response.setStatus(HttpServletResponse.SC_FORBIDDEN);
		response.setContentType("text/plain;charset=UTF-8");
		response.getWriter().write(problem);
	}

	private @Nullable String problem(HttpServletRequest request) {
		String host = String.valueOf(request.getHeader("Host")).toLowerCase(Locale.ROOT).replaceFirst(":\\d+$", "");
		if (!this.hosts.contains(host)) {
			return "Unknown host. Open the page with the address of the property 'server.address'.";
		}
		if ("cross-site".equals(request.getHeader("Sec-Fetch-Site"))
				&& !"navigate".equals(request.getHeader("Sec-Fetch-Mode"))) {
			return "Another web site has sent the request.";
		}
		return ("POST".equals(request.getMethod()) && request.getHeader("X-Requested-With") == null)
				? "The header 'X-Requested-With' is missing." : null;
	}

}
