// Printed from server/openapi.json by `npm run generate`.
export interface paths {
    "/api/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health check of the service
         * @description Returns 503 once the service is about to stop (`MOORING_DRAIN_SECONDS`).
         *
         *     Public.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/instance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Version, mode and notices of the instance
         * @description Any signed-in caller.
         */
        get: operations["getInstance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/instance/connection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Encryption of the connection to the dashboard
         * @description Until the dashboard has a certificate, it also responds over plain HTTP.
         *
         *     Public.
         */
        get: operations["getInstanceConnection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * OpenAPI 3.1 document of this API
         * @description Public.
         */
        get: operations["getOpenapiJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reference of this API
         * @description Public.
         */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/instance/update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Installed and latest version, and the state of the last update
         * @description Only for the instance owner.
         *
         *     Any signed-in caller.
         */
        get: operations["getInstanceUpdate"];
        put?: never;
        /**
         * Update the instance to a newer version
         * @description Only for the instance owner, on a machine that was set up with install.sh. Apps keep serving; the API is away for a few seconds. If the new version does not become healthy, the previous one is restored with its database.
         *
         *     Any signed-in caller.
         */
        post: operations["postInstanceUpdate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show whether the instance still has to be set up
         * @description Public.
         */
        get: operations["getAuthSetup"];
        put?: never;
        /**
         * Create the owner of the instance
         * @description Works once, with the code from the set-up link. Signs the owner in.
         *
         *     Public.
         */
        post: operations["postAuthSetup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with e-mail address and password
         * @description Sets the session cookie and returns the `sessionProof` that each request with this cookie sends as `X-Session-Proof`. After ten failed attempts the address has to wait (429, `Retry-After`).
         *
         *     Public.
         */
        post: operations["postAuthSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out
         * @description Any signed-in caller.
         */
        post: operations["postAuthSignOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the caller, their organization and their permissions
         * @description Any signed-in caller.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change your password
         * @description Ends your other sessions, and with `revokeTokens` revokes your access tokens in all organizations. Only when signed in by cookie.
         *
         *     Any signed-in caller.
         */
        post: operations["postAuthPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/members/{id}/password-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a password reset link for a member
         * @description For owners. Mooring sends no e-mail: share the `url` yourself. It works once and expires after a day.
         *
         *     Permission: `member:admin`.
         */
        post: operations["postMembersByIdPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password with a reset link
         * @description Ends all sessions of the person and revokes their access tokens in all organizations.
         *
         *     Public.
         */
        post: operations["postAuthResetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your organizations
         * @description A token sees only its own organization.
         *
         *     Permission: `organization:list`.
         */
        get: operations["getOrganizations"];
        put?: never;
        /**
         * Create an organization and become its owner
         * @description Needs `organization:write`. The instance owner needs no permission; in cloud mode only the instance owner can create organizations.
         *
         *     Any signed-in caller.
         */
        post: operations["postOrganizations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Rename the organization
         * @description Permission: `organization:admin`.
         */
        patch: operations["patchOrganizationsCurrent"];
        trace?: never;
    };
    "/api/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members of the organization
         * @description Permission: `member:list`.
         */
        get: operations["getMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/members/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member and revoke their tokens
         * @description Permission: `member:admin`.
         */
        delete: operations["deleteMembersById"];
        options?: never;
        head?: never;
        /**
         * Change a member's role
         * @description Only owners can grant or revoke the role owner. The last owner keeps it (409).
         *
         *     Permission: `member:admin`.
         */
        patch: operations["patchMembersById"];
        trace?: never;
    };
    "/api/members/{id}/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace the grants of a restricted member
         * @description Permission: `member:admin`.
         */
        put: operations["putMembersByIdGrants"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/leave": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Leave the organization
         * @description `id` must be the organization that the call acts in, so that nobody leaves another one by mistake. Revokes your tokens in it. The last owner cannot leave (409).
         *
         *     Permission: `organization:read`.
         */
        post: operations["postOrganizationsLeave"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List open invitations
         * @description Permission: `member:list`.
         */
        get: operations["getInvitations"];
        put?: never;
        /**
         * Invite somebody
         * @description Mooring sends no e-mail: share the `url` yourself. It works once and expires after seven days.
         *
         *     Permission: `member:admin`.
         */
        post: operations["postInvitations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invitations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Withdraw an invitation
         * @description Permission: `member:admin`.
         */
        delete: operations["deleteInvitationsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invitations/look": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show an invitation
         * @description Public.
         */
        post: operations["postInvitationsLook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation
         * @description Joins the organization and signs in.
         *
         *     Public.
         */
        post: operations["postInvitationsAccept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List access tokens
         * @description Your own; with `token:admin` everybody's in the organization.
         *
         *     Permission: `token:list`.
         */
        get: operations["getTokens"];
        put?: never;
        /**
         * Create an access token
         * @description The token is shown only in this response. It never has more permissions than you.
         *
         *     Permission: `token:write`.
         */
        post: operations["postTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an access token
         * @description Your own; with `token:admin` anybody's in the organization.
         *
         *     Permission: `token:write`.
         */
        delete: operations["deleteTokensById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log, newest first
         * @description Permission: `audit:list`.
         */
        get: operations["getAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List servers
         * @description Permission: `server:list`.
         */
        get: operations["getServers"];
        put?: never;
        /**
         * Add a server
         * @description Does not connect yet: test it afterwards. Needs a password, a private key or `generateKey`.
         *
         *     Permission: `server:write`.
         */
        post: operations["postServers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a server
         * @description Permission: `server:read`.
         */
        get: operations["getServersById"];
        put?: never;
        post?: never;
        /**
         * Remove a server
         * @description Removes the edge from it, with its container, volume and image, and changes nothing else. An unreachable server is removed from Mooring, and `message` says what may remain there. Fails while projects or backup destinations are on it (409).
         *
         *     Permission: `server:admin`.
         */
        delete: operations["deleteServersById"];
        options?: never;
        head?: never;
        /**
         * Change a server
         * @description An omitted credential keeps the stored value, null clears it, a string replaces it. Stored credentials belong to host, port, user and pinned host key: when one of these changes (`hostKey: null` included), send every stored credential again or clear it. `message` says whether the pinned host key is kept.
         *
         *     Permission: `server:write`.
         */
        patch: operations["patchServersById"];
        trace?: never;
    };
    "/api/servers/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a server
         * @description Signs in and inspects the server without changes. Returns 200 even if it cannot be reached.
         *
         *     Permission: `server:write`.
         */
        post: operations["postServersByIdTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/cluster": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the cluster of a server
         * @description Nodes of the Docker Swarm that the server manages, with their roles and state.
         *
         *     Permission: `server:read`.
         */
        get: operations["getServersByIdCluster"];
        put?: never;
        /**
         * Create a cluster
         * @description Creates a Docker Swarm on the server, or uses the one that it manages. Projects of the server run on the cluster. Fails while projects run on the server (409).
         *
         *     Permission: `server:admin`.
         */
        post: operations["postServersByIdCluster"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/cluster/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a server to a cluster
         * @description Lets another server join as a node. It gets an edge with all routes and certificates.
         *
         *     Permission: `server:admin`.
         */
        post: operations["postServersByIdClusterNodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/cluster/head": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the server of a cluster
         * @description Makes another manager the server of the cluster, which its projects are deployed to. They keep running meanwhile, and the previous server becomes a node. This also works when the previous server does not respond. Fails if the other one is not a manager of the cluster, while something is being deployed, backed up, restored or adopted, or if folders or files that services mount are on the previous server (409); `force` skips only the last check.
         *
         *     Permission: `server:admin`.
         */
        post: operations["postServersByIdClusterHead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/cluster/nodes/{nodeId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a node from a cluster
         * @description Drains the node, removes the edge there and lets it leave the Swarm. The server stays. Fails if the node has volumes or does not respond (409), unless `force` is set.
         *
         *     Permission: `server:admin`.
         */
        delete: operations["deleteServersByIdClusterNodesByNodeId"];
        options?: never;
        head?: never;
        /**
         * Drain a node or change its role
         * @description `drain` starts everything on other nodes before it stops here. Fails if volumes or files bind something to the node (409), unless `force` is set.
         *
         *     Permission: `server:admin`.
         */
        patch: operations["patchServersByIdClusterNodesByNodeId"];
        trace?: never;
    };
    "/api/githost/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Status of the git host connection
         * @description Returns 200 even when it is not connected or does not respond.
         *
         *     Permission: `githost:read`.
         */
        get: operations["getGithostStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/githost/home": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List connected accounts with their repositories
         * @description Returns 200 with empty lists when nothing is connected.
         *
         *     Permission: `githost:read`.
         */
        get: operations["getGithostHome"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/githost/local-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Status of the gh sign-in on this machine
         * @description Permission: `githost:read`. Only on self-hosted instances.
         */
        get: operations["getGithostLocalStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/githost/disconnect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disconnect the git host
         * @description `source` in the body or in the query. Deletes stored credentials and revokes them at the git host where possible. The app stays installed; `all` also forgets its installations until somebody connects again.
         *
         *     Permission: `githost:admin`.
         */
        post: operations["postGithostDisconnect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/githost/connect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Connect the git host
         * @description `flow` says what to do next; it depends on the configuration. See docs/operations/github-app.md.
         *
         *     Permission: `githost:write`.
         */
        post: operations["postGithostConnect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/githost/connect/poll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Status of the device login
         * @description Permission: `githost:read`. Only on self-hosted instances.
         */
        get: operations["getGithostConnectPoll"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/githost/connect/redirect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Callback of the git host
         * @description Shows a page. The browser needs no session: the state parameter is stored and works once.
         *
         *     Public.
         */
        get: operations["getGithostConnectRedirect"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/githost/repos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List repositories of the git host
         * @description Repositories that the connections and the grants of the caller give access to.
         *
         *     Permission: `githost:list`.
         */
        get: operations["getGithostRepos"];
        put?: never;
        /**
         * Create a repository at the git host
         * @description Permission: `githost:write`.
         */
        post: operations["postGithostRepos"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/githost/orgs/{org}/repos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List repositories of an organization of the git host
         * @description Permission: `githost:list`.
         */
        get: operations["getGithostOrgsByOrgRepos"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/githost/repos/{owner}/{repo}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a repository of the git host
         * @description Permission: `githost:read`.
         */
        get: operations["getGithostReposByOwnerByRepo"];
        put?: never;
        post?: never;
        /**
         * Delete a repository at the git host
         * @description Deletes it at the git host, with everything in it.
         *
         *     Permission: `githost:admin`.
         */
        delete: operations["deleteGithostReposByOwnerByRepo"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/githost/repos/{owner}/{repo}/branches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List branches of a repository
         * @description Permission: `githost:list`.
         */
        get: operations["getGithostReposByOwnerByRepoBranches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/githost/repos/{owner}/{repo}/clone-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a short-lived token for cloning a repository
         * @description Only if the app is installed for the owner (409 otherwise). Mooring revokes it within an hour.
         *
         *     Permission: `githost:read`.
         */
        get: operations["getGithostReposByOwnerByRepoCloneToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/githost/repos/{owner}/{repo}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a folder of a repository
         * @description Permission: `githost:list`.
         */
        get: operations["getGithostReposByOwnerByRepoFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/githost/repos/{owner}/{repo}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a file of a repository
         * @description Text of at most 1 MB; anything else is a 400.
         *
         *     Permission: `githost:read`.
         */
        get: operations["getGithostReposByOwnerByRepoFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/githost/repos/{owner}/{repo}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhooks of a repository
         * @description Permission: `githost:list`.
         */
        get: operations["getGithostReposByOwnerByRepoWebhooks"];
        put?: never;
        /**
         * Register the push webhook of a repository
         * @description Registers the webhook (201), or updates the existing one (200).
         *
         *     Permission: `githost:write`.
         */
        post: operations["postGithostReposByOwnerByRepoWebhooks"];
        /**
         * Delete a webhook of a repository
         * @description The webhook of this instance stays at the git host while another organization here uses it.
         *
         *     Permission: `githost:admin`.
         */
        delete: operations["deleteGithostReposByOwnerByRepoWebhooks"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/githost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive webhooks of the git host
         * @description Needs the signature of the body with the webhook secret. Deliveries are handled in the background.
         *
         *     Public.
         */
        post: operations["postWebhooksGithost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/githost/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook deliveries, newest first
         * @description Permission: `githost:list`.
         */
        get: operations["getGithostDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/githost/deliveries/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay a webhook delivery
         * @description Commits that were already deployed are not deployed again.
         *
         *     Permission: `githost:write`.
         */
        post: operations["postGithostDeliveriesByIdReplay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List projects
         * @description Permission: `project:list`.
         */
        get: operations["getProjects"];
        put?: never;
        /**
         * Create a project
         * @description Permission: `project:write`.
         */
        post: operations["postProjects"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/ensure": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a project, or change the one of that name
         * @description Idempotent and safe to call concurrently: a name has one project.
         *
         *     Permission: `project:write`.
         */
        post: operations["postProjectsEnsure"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/new-address": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the slug and address that a new project of this name would get
         * @description Creates nothing. Pass the slug on to `POST /api/projects` to get exactly this address, or a 409.
         *
         *     Permission: `project:write`.
         */
        get: operations["getProjectsNewAddress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a project
         * @description Permission: `project:read`.
         */
        get: operations["getProjectsById"];
        put?: never;
        post?: never;
        /**
         * Delete a project
         * @description Stops the project and deletes its deployments, variables and uploads. Volumes are kept unless `volumes=true`; `GET /api/projects/:id/volumes` lists them.
         *
         *     Permission: `project:admin`.
         */
        delete: operations["deleteProjectsById"];
        options?: never;
        head?: never;
        /**
         * Change a project
         * @description Omitted fields keep their values; null restores detection. Takes effect with the next deployment.
         *
         *     Permission: `project:write`.
         */
        patch: operations["patchProjectsById"];
        trace?: never;
    };
    "/api/projects/{id}/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the linked repository of a project
         * @description Permission: `project:read`.
         */
        get: operations["getProjectsByIdLink"];
        put?: never;
        /**
         * Link a project to a repository
         * @description Sets the source of the project. New pushes to the branch are deployed automatically unless `autoDeploy` is off; existing commits are not.
         *
         *     Permission: `project:write`.
         */
        post: operations["postProjectsByIdLink"];
        /**
         * Unlink a project from its repository
         * @description The active release keeps running. The project then takes uploads.
         *
         *     Permission: `project:write`.
         */
        delete: operations["deleteProjectsByIdLink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}/variables": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the variables of a project
         * @description Values of secret variables are never shown.
         *
         *     Permission: `project:read`.
         */
        get: operations["getProjectsByIdVariables"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Set and remove variables of a project
         * @description Takes effect with the next deployment. All are set at run time; `buildTime` variables are also set during the build.
         *
         *     Permission: `project:write`.
         */
        patch: operations["patchProjectsByIdVariables"];
        trace?: never;
    };
    "/api/projects/{id}/deploy-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the deploy key of a project
         * @description Permission: `project:read`.
         */
        get: operations["getProjectsByIdDeployKey"];
        put?: never;
        /**
         * Create a deploy key for a project
         * @description Replaces the previous key. The private key is never shown.
         *
         *     Permission: `project:write`.
         */
        post: operations["postProjectsByIdDeployKey"];
        /**
         * Delete the deploy key of a project
         * @description Permission: `project:write`.
         */
        delete: operations["deleteProjectsByIdDeployKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/registries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List registry logins
         * @description Permission: `registry:list`.
         */
        get: operations["getRegistries"];
        put?: never;
        /**
         * Add a registry login
         * @description Permission: `registry:write`.
         */
        post: operations["postRegistries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/registries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a registry login
         * @description Permission: `registry:read`.
         */
        get: operations["getRegistriesById"];
        put?: never;
        post?: never;
        /**
         * Remove a registry login
         * @description Permission: `registry:admin`.
         */
        delete: operations["deleteRegistriesById"];
        options?: never;
        head?: never;
        /**
         * Change a registry login
         * @description Permission: `registry:write`.
         */
        patch: operations["patchRegistriesById"];
        trace?: never;
    };
    "/api/projects/folder/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open a session to upload a folder
         * @description Send the folder as a gzipped tar to `upload.url` with `upload.headers`, once and within an hour.
         *
         *     Permission: `project:write`.
         */
        post: operations["postProjectsFolderSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/folder/upload/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Upload a folder
         * @description The body is a gzipped tar of at most 300 MB. Needs the headers from the session.
         *
         *     Public.
         */
        put: operations["putProjectsFolderUploadById"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/folder/scan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Detect how an uploaded folder would be built
         * @description Permission: `project:write`.
         */
        post: operations["postProjectsFolderScan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/acme-challenge/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * ACME challenge of a domain
         * @description The edge forwards requests for this path here.
         *
         *     Public.
         */
        get: operations["getAcmeChallengeByToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the domains of a project
         * @description Permission: `project:read`.
         */
        get: operations["getProjectsByIdDomains"];
        put?: never;
        /**
         * Add a domain to a project
         * @description It serves the active release immediately. A domain belongs to one project of the instance: 409 if it is taken. If another organization has it, `message` names the TXT record that proves ownership; with that record the domain moves to this project.
         *
         *     Permission: `project:write`.
         */
        post: operations["postProjectsByIdDomains"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}/domains/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a domain from a project
         * @description Also deletes its certificate. The release keeps serving at its other addresses.
         *
         *     Permission: `project:write`.
         */
        delete: operations["deleteProjectsByIdDomainsByName"];
        options?: never;
        head?: never;
        /**
         * Change a domain
         * @description Permission: `project:write`.
         */
        patch: operations["patchProjectsByIdDomainsByName"];
        trace?: never;
    };
    "/api/projects/{id}/domains/{name}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the DNS records of a domain
         * @description Permission: `project:write`.
         */
        post: operations["postProjectsByIdDomainsByNameCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deployments/ssl/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the certificate of a domain
         * @description Shows the stored certificate if the domain belongs to one of your projects, and the certificate that clients get for any domain. Changes nothing.
         *
         *     Permission: `deployment:read`.
         */
        post: operations["postDeploymentsSslStatus"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deployments/ssl/renew": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue a new certificate for a domain
         * @description Responds once the new certificate serves. A call during a running order waits for that order. The previous certificate serves until then.
         *
         *     Permission: `deployment:write`.
         */
        post: operations["postDeploymentsSslRenew"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}/domains/{name}/certificate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Upload a certificate for a domain
         * @description It serves immediately, instead of the issued certificate. It must be valid, cover the domain and match the key.
         *
         *     Permission: `project:write`.
         */
        put: operations["putProjectsByIdDomainsByNameCertificate"];
        post?: never;
        /**
         * Delete the uploaded certificate of a domain
         * @description The issued certificate serves again; if there is none, Mooring orders one.
         *
         *     Permission: `project:write`.
         */
        delete: operations["deleteProjectsByIdDomainsByNameCertificate"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}/traffic": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Requests, errors and response times of a project
         * @description Counted by the edge; a few seconds old.
         *
         *     Permission: `project:read`.
         */
        get: operations["getProjectsByIdTraffic"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/backup-destinations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List backup destinations
         * @description Permission: `backup_destination:list`.
         */
        get: operations["getBackupDestinations"];
        put?: never;
        /**
         * Add a backup destination
         * @description The kind decides which fields are required. Nothing is contacted; use preflight for that.
         *
         *     Permission: `backup_destination:write`.
         */
        post: operations["postBackupDestinations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/backup-destinations/kinds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the kinds of destinations and their fields
         * @description Permission: `backup_destination:list`.
         */
        get: operations["getBackupDestinationsKinds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/backup-destinations/preflight": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a destination before saving it
         * @description With the `id` of a stored one, omitted fields are taken from there. Stored credentials are used only for the stored address and user: with another endpoint, sshHost, sshPort or sshUser, send them again (400 otherwise).
         *
         *     Permission: `backup_destination:write`.
         */
        post: operations["postBackupDestinationsPreflight"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/backup-destinations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a backup destination
         * @description Permission: `backup_destination:read`.
         */
        get: operations["getBackupDestinationsById"];
        put?: never;
        post?: never;
        /**
         * Remove a backup destination
         * @description Objects stored there are kept.
         *
         *     Permission: `backup_destination:admin`.
         */
        delete: operations["deleteBackupDestinationsById"];
        options?: never;
        head?: never;
        /**
         * Change a backup destination
         * @description An omitted credential keeps the stored value, null clears it, a string replaces it. When endpoint, sshHost, sshPort or sshUser changes, send every stored credential again or clear it (400 otherwise). The kind cannot change.
         *
         *     Permission: `backup_destination:write`.
         */
        patch: operations["patchBackupDestinationsById"];
        trace?: never;
    };
    "/api/backup-destinations/{id}/preflight": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a backup destination
         * @description Writes, reads back, compares and deletes a small object. The status is 200 even when that fails; the body has the reason.
         *
         *     Permission: `backup_destination:write`.
         */
        post: operations["postBackupDestinationsByIdPreflight"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/backup-policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List backup policies
         * @description Permission: `backup:list`.
         */
        get: operations["getBackupPolicies"];
        put?: never;
        /**
         * Create a backup policy
         * @description Permission: `backup:write`.
         */
        post: operations["postBackupPolicies"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/backup-policies/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Settings, next run and health of a backup policy
         * @description Permission: `backup:read`.
         */
        get: operations["getBackupPoliciesById"];
        put?: never;
        post?: never;
        /**
         * Delete a backup policy
         * @description Its backups stay.
         *
         *     Permission: `backup:admin`.
         */
        delete: operations["deleteBackupPoliciesById"];
        options?: never;
        head?: never;
        /**
         * Change a backup policy
         * @description Permission: `backup:write`.
         */
        patch: operations["patchBackupPoliciesById"];
        trace?: never;
    };
    "/api/backup-policies/{id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a backup policy now
         * @description While a run is under way, returns that one.
         *
         *     Permission: `backup:write`.
         */
        post: operations["postBackupPoliciesByIdRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/backup-policies/{id}/drill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prove that the newest backup can be restored
         * @description Restores it to a scratch place, checks the data, and removes the place.
         *
         *     Permission: `backup:write`.
         */
        post: operations["postBackupPoliciesByIdDrill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}/backup-sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the volumes and databases of a project that can be backed up
         * @description Permission: `backup:read`.
         */
        get: operations["getProjectsByIdBackupSources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/backup-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys that archives are encrypted with
         * @description Newest first. The newest one encrypts; all of them decrypt.
         *
         *     Permission: `backup:list`.
         */
        get: operations["getBackupKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/backup-keys/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Export the backup keys
         * @description An identity file for `age -d -i`. Keep it apart from Mooring: without it, encrypted archives are lost if Mooring is.
         *
         *     Permission: `backup:admin`.
         */
        post: operations["postBackupKeysExport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/backup-keys/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import backup keys, to restore archives of another instance
         * @description Permission: `backup:admin`.
         */
        post: operations["postBackupKeysImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/backup-keys/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Encrypt new archives with a new key
         * @description Permission: `backup:admin`.
         */
        post: operations["postBackupKeysRotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/backups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List backups, newest first
         * @description Permission: `backup:list`.
         */
        get: operations["getBackups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/backups/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Status, progress and archives of a backup
         * @description Permission: `backup:read`.
         */
        get: operations["getBackupsById"];
        put?: never;
        post?: never;
        /**
         * Delete a backup and its archives
         * @description Permission: `backup:admin`.
         */
        delete: operations["deleteBackupsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/backups/{id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream a backup as server-sent events
         * @description Event ids are sequence numbers. `since` or `Last-Event-ID` resumes after that event. Returns 204 once it has finished and every event was read.
         *
         *     Permission: `backup:read`.
         */
        get: operations["getBackupsByIdStream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/backups/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a backup
         * @description Permission: `backup:write`.
         */
        post: operations["postBackupsByIdCancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/backups/{id}/pin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Keep a backup regardless of the retention
         * @description Permission: `backup:write`.
         */
        post: operations["postBackupsByIdPin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/backups/{id}/archives/{archiveId}/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an archive as stored
         * @description An encrypted archive is restored with `age -d -i KEY | zstd -d | tar x`.
         *
         *     Permission: `backup:admin`.
         */
        get: operations["getBackupsByIdArchivesByArchiveIdDownload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/backups/{id}/archives/{archiveId}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download one file of an archive
         * @description Permission: `backup:admin`.
         */
        get: operations["getBackupsByIdArchivesByArchiveIdFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/backups/{id}/archives/{archiveId}/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a link that downloads an archive, or one file of it
         * @description For browsers: the link needs no credentials, and expires after a minute.
         *
         *     Permission: `backup:admin`.
         */
        post: operations["postBackupsByIdArchivesByArchiveIdLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/backup-downloads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download by a link
         * @description Public.
         */
        get: operations["getBackupDownloads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/backups/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import an archive, also of another instance
         * @description The body is the archive. It is checked, stored at the destination, and can be restored like a backup of the project. Import the key that it was encrypted with first.
         *
         *     Permission: `backup:admin`.
         */
        post: operations["postBackupsImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/backups/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a backup
         * @description Permission: `backup:admin`.
         */
        post: operations["postBackupsByIdRestore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/restores": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List restores and drills, newest first
         * @description Permission: `backup:list`.
         */
        get: operations["getRestores"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/restores/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Status, progress and proof of a restore
         * @description Permission: `backup:read`.
         */
        get: operations["getRestoresById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/restores/{id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream a restore as server-sent events
         * @description Event ids are sequence numbers. `since` or `Last-Event-ID` resumes after that event. Returns 204 once it has finished and every event was read.
         *
         *     Permission: `backup:read`.
         */
        get: operations["getRestoresByIdStream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/restores/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a restore
         * @description A restore in place is undone.
         *
         *     Permission: `backup:write`.
         */
        post: operations["postRestoresByIdCancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/restores/{id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo a restore in place
         * @description Restores the backup that was taken before it.
         *
         *     Permission: `backup:admin`.
         */
        post: operations["postRestoresByIdUndo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deployments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deployments, newest first
         * @description Permission: `deployment:list`.
         */
        get: operations["getDeployments"];
        put?: never;
        /**
         * Deploy a project from its git source
         * @description Permission: `deployment:write`.
         */
        post: operations["postDeployments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deployments/build/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a deployment and start its build
         * @description Deploys an upload (`uploadSessionId`), the source of the project, or `services`. A project without a source deploys its previous services again.
         *
         *     Permission: `deployment:write`.
         */
        post: operations["postDeploymentsBuildAccess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deployments/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Plan a deployment: what it would do to each service
         * @description Takes the body of `build/access` and deploys nothing.
         *
         *     Permission: `deployment:write`.
         */
        post: operations["postDeploymentsPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deployments/prepare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Detect how a source would be built and started
         * @description Creates nothing.
         *
         *     Permission: `deployment:write`.
         */
        post: operations["postDeploymentsPrepare"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deployments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Status, addresses, timing and error of a deployment
         * @description Permission: `deployment:read`.
         */
        get: operations["getDeploymentsById"];
        put?: never;
        post?: never;
        /**
         * Delete a deployment
         * @description Cancels a deployment in progress first. Deleting the active release stops it and removes its routes.
         *
         *     Permission: `deployment:admin`.
         */
        delete: operations["deleteDeploymentsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deployments/{id}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Recorded output of the build and of the running app
         * @description Permission: `deployment:read`.
         */
        get: operations["getDeploymentsByIdLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deployments/{id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream a deployment as server-sent events
         * @description Event ids are sequence numbers. `since` or `Last-Event-ID` resumes after that event (after the later one if both are given). Returns 204 once the deployment has finished and every event was read.
         *
         *     Permission: `deployment:read`.
         */
        get: operations["getDeploymentsByIdStream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deployments/{id}/build": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Progress of a deployment, step by step
         * @description Permission: `deployment:read`.
         */
        get: operations["getDeploymentsByIdBuild"];
        put?: never;
        /**
         * Start the build of a queued deployment
         * @description Permission: `deployment:write`.
         */
        post: operations["postDeploymentsByIdBuild"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream changes of the organization as server-sent events
         * @description `ready` comes first: from then on nothing is missed. `deployment` has the id, project, environment, status, decision and `lastSeq` of one that has changed. `backup_policy` has the id, name, project, environment and `health` of one whose health has changed. `change` names what somebody has changed, such as `domain`, and its project, if it has one. Nothing is kept for clients that are away: ask for what you show when you come back.
         *
         *     Permission: `deployment:list`.
         */
        get: operations["getEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deployments/{id}/build/respond": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer the question of a deployment
         * @description Permission: `deployment:write`.
         */
        post: operations["postDeploymentsByIdBuildRespond"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deployments/{id}/redeploy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deploy again
         * @description Permission: `deployment:write`.
         */
        post: operations["postDeploymentsByIdRedeploy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deployments/{id}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Roll back to this deployment
         * @description Needs `deployment:admin` on the deployment.
         *
         *     Permission: `deployment:write`.
         */
        post: operations["postDeploymentsByIdRollback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deployments/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a deployment that is queued or in progress
         * @description Needs `deployment:admin` on the deployment.
         *
         *     Permission: `deployment:write`.
         */
        post: operations["postDeploymentsByIdCancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deployments/{id}/pin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pin or unpin a deployment, so that cleanup keeps it
         * @description Permission: `deployment:write`.
         */
        post: operations["postDeploymentsByIdPin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deployments/{id}/keep": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept the services that succeeded
         * @description Only while the deployment needs a decision (400 otherwise).
         *
         *     Permission: `deployment:write`.
         */
        post: operations["postDeploymentsByIdKeep"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deployments/{id}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Roll back the services that changed
         * @description Only while the deployment needs a decision (400 otherwise).
         *
         *     Permission: `deployment:write`.
         */
        post: operations["postDeploymentsByIdReject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deployments/{id}/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restart the containers or processes of a deployment
         * @description Containers that take longer to stop are restarted in the background; `GET /:id/info` shows them as `restarting` until they are ready.
         *
         *     Permission: `deployment:write`.
         */
        post: operations["postDeploymentsByIdRestart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deployments/{id}/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the containers or processes of a deployment
         * @description Permission: `deployment:read`.
         */
        get: operations["getDeploymentsByIdInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deployments/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * CPU and memory usage of a deployment
         * @description Permission: `deployment:read`.
         */
        get: operations["getDeploymentsByIdUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List build workers
         * @description Only for the instance owner.
         *
         *     Any signed-in caller.
         */
        get: operations["getWorkers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}/volumes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Volumes of a project
         * @description Data that outlives deployments. Deployments never remove volumes; deleting the project does only on request.
         *
         *     Permission: `project:read`.
         */
        get: operations["getProjectsByIdVolumes"];
        put?: never;
        /**
         * Add a volume
         * @description The next deployment mounts it. Adding a removed name again brings its data back.
         *
         *     Permission: `project:write`.
         */
        post: operations["postProjectsByIdVolumes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}/volumes/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a volume
         * @description The next deployment does not mount it. Its data is kept unless `data=delete`; data in use is deleted once its release is replaced.
         *
         *     Permission: `project:admin`.
         */
        delete: operations["deleteProjectsByIdVolumesByName"];
        options?: never;
        head?: never;
        /**
         * Mount a volume elsewhere
         * @description From the next deployment on.
         *
         *     Permission: `project:write`.
         */
        patch: operations["patchProjectsByIdVolumesByName"];
        trace?: never;
    };
    "/api/projects/{id}/volumes/{name}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Files in a folder of a volume
         * @description Permission: `project:read`.
         */
        get: operations["getProjectsByIdVolumesByNameFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}/volumes/{name}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file of a volume
         * @description Permission: `project:read`.
         */
        get: operations["getProjectsByIdVolumesByNameFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}/scale": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change how many replicas of a service run
         * @description Needs no build and continues in the background; `GET /api/deployments/:id/info` shows the replicas. Later deployments keep the number.
         *
         *     Permission: `deployment:write`.
         */
        post: operations["postProjectsByIdScale"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/migration/scan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Scan a server for containers
         * @description Finds compose stacks and other containers, and compares them with their compose files. Changes nothing on the server. 502 with the reason in `message` when its engine does not respond.
         *
         *     Permission: `server:write`. Only on self-hosted instances.
         */
        post: operations["postMigrationScan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/migration/adopt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adopt services on a server as a project
         * @description Scans the server again; the request gives the names only. Named volumes are used in place. Nothing is deployed, and nothing on the server changes. 400 `not_trusted` for what reaches the machine, 409 for what a project has already.
         *
         *     Permission: `server:write`. Only on self-hosted instances.
         */
        post: operations["postMigrationAdopt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/migration/{projectId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the adoption of a project
         * @description The original containers of its services and whether they run.
         *
         *     Permission: `project:read`. Only on self-hosted instances.
         */
        get: operations["getMigrationByProjectId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/migration/{projectId}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo the cut-over of a project
         * @description Stops the containers of the project on the server and starts the original ones unchanged. Safe to repeat. 400 `not_allowed_now` when nothing was replaced, when it was confirmed, or while a deployment is under way. 502 with the reason when the server cannot be reached.
         *
         *     Permission: `server:write`. Only on self-hosted instances.
         */
        post: operations["postMigrationByProjectIdUndo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/migration/{projectId}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm the cut-over of a project
         * @description Removes the stopped original containers; their volumes are kept. This cannot be undone. 409 when they have files outside volumes, which would be deleted, unless `force` is set. 400 `not_allowed_now` when nothing was replaced.
         *
         *     Permission: `server:write`. Only on self-hosted instances.
         */
        post: operations["postMigrationByProjectIdConfirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/cloud/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the linked cloud and whether it responds
         * @description Permission: `organization:read`. Only on self-hosted instances.
         */
        get: operations["getCloudLink"];
        put?: never;
        /**
         * Link the organization to a hosted cloud
         * @description Checks the token with the cloud first; a rejected token is not stored (400). Replaces the previous link.
         *
         *     Permission: `organization:admin`. Only on self-hosted instances.
         */
        post: operations["postCloudLink"];
        /**
         * Remove the cloud link
         * @description Fails while projects run there (409). The token stays valid until it is revoked in the cloud.
         *
         *     Permission: `organization:admin`. Only on self-hosted instances.
         */
        delete: operations["deleteCloudLink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}/bring-home": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bring a project home from the cloud
         * @description Deploys it here, which also needs `deployment:write`. The release in the cloud keeps serving until `DELETE /api/projects/:id/cloud`. Works while the cloud is unreachable.
         *
         *     Permission: `project:write`. Only on self-hosted instances.
         */
        post: operations["postProjectsByIdBringHome"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}/cloud": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove the cloud copy of a project that was brought home
         * @description Permission: `project:admin`. Only on self-hosted instances.
         */
        delete: operations["deleteProjectsByIdCloud"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/cloud/projects/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Receive a project from a linked instance and deploy it
         * @description The project keeps its id. One received before is updated. Also needs `deployment:write`.
         *
         *     Permission: `project:write`. Only on cloud instances.
         */
        put: operations["putCloudProjectsById"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/cloud/githost/connect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start connecting the git host for a linked instance
         * @description Permission: `githost:write`. Only on cloud instances.
         */
        post: operations["postCloudGithostConnect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/cloud/githost/installations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List installations of the app in the organization
         * @description Permission: `githost:read`. Only on cloud instances.
         */
        get: operations["getCloudGithostInstallations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/cloud/githost/installations/{id}/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an installation token of the app
         * @description Expires within an hour. Without `githost:admin` it can only read contents.
         *
         *     Permission: `githost:read`. Only on cloud instances.
         */
        post: operations["postCloudGithostInstallationsByIdToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/cloud/githost/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the webhook deliveries of the app
         * @description Waits for new deliveries. Deliveries are kept for three days, at most 2,000 of them.
         *
         *     Permission: `githost:read`. Only on cloud instances.
         */
        get: operations["getCloudGithostDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/current/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Limits and usage of the organization in this cloud
         * @description Permission: `organization:read`. Only on cloud instances.
         */
        get: operations["getOrganizationsCurrentLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            /** @constant */
            success: false;
            /** @description Message for people. */
            error: string;
            /** @description Code for programs. */
            code: string;
            message?: string;
            details?: {
                field: string;
                message: string;
            }[];
        };
        Connection: {
            /** @description Null unless the connection is not encrypted because the certificate is missing. */
            certificate: {
                domain: string;
                /** @description Address of the dashboard once the certificate is issued. */
                url: string;
                /** @description Why the last order failed. */
                error: {
                    message: string;
                    fix: string;
                } | null;
            } | null;
        };
        InstanceUpdate: {
            /** @description The installed version. */
            version: string;
            /** @description Null while unknown. */
            latestVersion: string | null;
            /** @description Whether the latest version is newer than the installed one. */
            isNewer: boolean;
            changelogUrl: string | null;
            /** @description The last check for a new version; null if it is turned off. */
            checkedAt: string | null;
            checkError: string | null;
            /**
             * @description `dashboard`: `POST /api/instance/update` works. Otherwise pull the new image or checkout.
             * @enum {string}
             */
            method: "dashboard" | "image" | "checkout";
            /** @description The running update, or the last one. */
            update: components["schemas"]["UpdateRun"] | null;
        };
        UpdateRun: {
            /**
             * @description `went_back`: the new version did not become healthy, and the previous one runs again.
             * @enum {string}
             */
            state: "requested" | "running" | "updated" | "went_back" | "failed";
            from: string;
            to: string;
            /** Format: date-time */
            startedAt: string;
            endedAt: string | null;
            steps: {
                phase: string;
                message: string;
                /** Format: date-time */
                at: string;
            }[];
            /** @description Why it failed or went back. */
            reason: string | null;
            /** @description Log lines of the new version that explain the reason. */
            lines: string[];
            /** @description How long the API did not respond, in milliseconds. */
            awayMs: number | null;
        };
        User: {
            id: string;
            email: string;
            name: string;
            isInstanceOwner: boolean;
        };
        Me: {
            user: components["schemas"]["User"];
            /** @description Organization that this request acts in; null for a person without one. */
            organization: {
                id: string;
                name: string;
                memberId: string;
                role: string;
                permissions: string[];
                /** @description Grants of a restricted member on single resources. Other roles ignore them. */
                grants: {
                    /** @enum {string} */
                    resource: "project" | "server" | "backup_destination" | "repository";
                    /** @description Id of the thing; for a repository `owner/repo` or `owner/*`. */
                    id: string;
                    actions: ("list" | "read" | "write" | "admin")[];
                }[];
            } | null;
            organizations: {
                id: string;
                name: string;
                role: string;
            }[];
            /** @enum {string} */
            via: "session" | "token";
            /** @description Token of this request. */
            tokenId: string | null;
        };
        Organization: {
            id: string;
            name: string;
            /** @description Your role in it. */
            role: string;
        };
        Member: {
            id: string;
            userId: string;
            email: string;
            name: string;
            /** @enum {string} */
            role: "owner" | "admin" | "member" | "viewer" | "restricted";
            /** @description Grants of a restricted member. Other roles ignore them. */
            grants: {
                /** @enum {string} */
                resource: "project" | "server" | "backup_destination" | "repository";
                /** @description Id of the thing; for a repository `owner/repo` or `owner/*`. */
                id: string;
                actions: ("list" | "read" | "write" | "admin")[];
            }[];
            /** Format: date-time */
            createdAt: string;
        };
        Invitation: {
            id: string;
            email: string;
            /** @enum {string} */
            role: "owner" | "admin" | "member" | "viewer" | "restricted";
            grants: {
                /** @enum {string} */
                resource: "project" | "server" | "backup_destination" | "repository";
                /** @description Id of the thing; for a repository `owner/repo` or `owner/*`. */
                id: string;
                actions: ("list" | "read" | "write" | "admin")[];
            }[];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
        };
        CreatedInvitation: {
            id: string;
            email: string;
            /** @enum {string} */
            role: "owner" | "admin" | "member" | "viewer" | "restricted";
            grants: {
                /** @enum {string} */
                resource: "project" | "server" | "backup_destination" | "repository";
                /** @description Id of the thing; for a repository `owner/repo` or `owner/*`. */
                id: string;
                actions: ("list" | "read" | "write" | "admin")[];
            }[];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
            /** @description Shown only once. */
            token: string;
            /** @description Page on which the person accepts. Share it with them. */
            url: string;
        };
        Token: {
            id: string;
            name: string;
            prefix: string;
            permissions: "*" | string[];
            holder: {
                memberId: string;
                email: string;
            };
            /** Format: date-time */
            createdAt: string;
            expiresAt: string | null;
            /** @description To the minute. */
            lastUsedAt: string | null;
        };
        CreatedToken: {
            id: string;
            name: string;
            prefix: string;
            permissions: "*" | string[];
            holder: {
                memberId: string;
                email: string;
            };
            /** Format: date-time */
            createdAt: string;
            expiresAt: string | null;
            /** @description To the minute. */
            lastUsedAt: string | null;
            /** @description Shown only once. */
            token: string;
        };
        AuditEntry: {
            id: string;
            /** Format: date-time */
            at: string;
            actor: {
                id: string | null;
                name: string;
                tokenId: string | null;
            };
            ip: string;
            action: string;
            target: {
                id: string;
                name: string | null;
            } | null;
            details: {
                [key: string]: string | number | boolean | null;
            };
        };
        Server: {
            id: string;
            /** @enum {string} */
            kind: "ssh" | "this_machine";
            name: string;
            host: string | null;
            port: number | null;
            user: string | null;
            /** @description Public key: the line for `authorized_keys`. */
            publicKey: string | null;
            hasPassword: boolean;
            hasPrivateKey: boolean;
            hasPassphrase: boolean;
            /** @description Host key pinned at the first connection. A different one is refused. */
            hostKey: string | null;
            hostKeyFingerprint: string | null;
            baseDomain: string | null;
            edgePort: number | null;
            edgeTlsPort: number | null;
            /** @description `swarm`: projects run on the Swarm that it manages. `node`: it belongs to the cluster of another server. null: nothing was deployed to it yet. */
            runtime: ("docker" | "swarm" | "node") | null;
            /** @description Its node in a Swarm. null: it is in none that Mooring knows. */
            swarmNodeId: string | null;
            lastCheckedAt: string | null;
            lastCheck: components["schemas"]["ServerCheck"] | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        ServerCheck: {
            /** @description Signing in and running commands works. */
            ok: boolean;
            /** @description Why it does not work. */
            reason?: string;
            /** @enum {string} */
            code?: "unreachable" | "refused" | "timeout" | "auth_failed" | "host_key_changed" | "misconfigured" | "no_commands";
            /** @description An SSH server responded. */
            reached: boolean;
            /** @description Round trip of a short command. */
            latencyMs: number | null;
            system: string | null;
            architecture: string | null;
            /** @description `sudo`: without a password. */
            rights: ("root" | "sudo" | "none") | null;
            /** @description Docker, and whether the user can use it. */
            engine: {
                available: boolean;
                version: string | null;
                reason: string | null;
                /** @description The Swarm that it is a node of. Only managers know the number of nodes. */
                swarm?: {
                    nodeId: string;
                    isManager: boolean;
                    nodes: number | null;
                } | null;
            } | null;
            /** @description Disk with the data of Docker, or the root disk. */
            disk: {
                path: string;
                freeBytes: number;
                totalBytes: number;
            } | null;
        };
        Cluster: {
            /** @description The server that projects are deployed to. */
            serverId: string;
            /** @description All nodes respond, and enough managers for decisions. */
            isHealthy: boolean;
            problems: string[];
            nodes: components["schemas"]["ClusterNode"][];
        };
        ClusterNode: {
            id: string;
            hostname: string;
            /** @description null: Mooring does not reach it, so it has no edge and no volumes. */
            serverId: string | null;
            serverName: string | null;
            /** @enum {string} */
            role: "worker" | "manager";
            isLeader: boolean;
            /** @enum {string} */
            availability: "active" | "pause" | "drain";
            /** @enum {string} */
            state: "ready" | "down" | "unknown" | "disconnected";
            address: string | null;
            architecture: string | null;
            engineVersion: string | null;
            /** @description Number of stacks whose volumes are on the node. */
            stacksWithVolumes: number;
        };
        GitHostAccount: {
            id: number;
            login: string;
            /** @enum {string} */
            type: "user" | "organization";
            avatarUrl: string | null;
            webUrl: string;
            /**
             * @description How Mooring accesses it: the app, a connected account, or the sign-in of `gh`.
             * @enum {string}
             */
            source: "app" | "oauth" | "cli";
            /** @description All ways to access it; the first one is used. */
            sources: ("app" | "oauth" | "cli")[];
        };
        GitHostRepository: {
            id: number;
            owner: string;
            name: string;
            fullName: string;
            private: boolean;
            archived: boolean;
            /** @description Null before the first push. */
            defaultBranch: string | null;
            description: string | null;
            webUrl: string;
            cloneUrl: string;
            pushedAt: string | null;
            /** @description Of the connection. */
            permissions: {
                pull: boolean;
                push: boolean;
                admin: boolean;
            };
            /**
             * @description How Mooring accesses it.
             * @enum {string}
             */
            source?: "app" | "oauth" | "cli";
        };
        GitHostConnect: {
            /** @constant */
            connected: true;
        } | {
            /** @constant */
            connected: false;
            /** @constant */
            flow: "redirect";
            /** @description Open it in a browser. */
            url: string;
        } | {
            /** @constant */
            connected: false;
            /** @constant */
            flow: "device_code";
            /** @description Enter it at `verificationUri`. */
            userCode: string;
            verificationUri: string;
            /** Format: date-time */
            expiresAt: string;
            /** @description Seconds between two calls of connect/poll. */
            intervalSeconds: number;
        } | {
            /** @constant */
            connected: false;
            /** @constant */
            flow: "terminal";
            /** @description Run it in a terminal on the machine that runs Mooring. */
            command: string;
            message: string;
        };
        GitHostRepositoryWithBranches: {
            id: number;
            owner: string;
            name: string;
            fullName: string;
            private: boolean;
            archived: boolean;
            /** @description Null before the first push. */
            defaultBranch: string | null;
            description: string | null;
            webUrl: string;
            cloneUrl: string;
            pushedAt: string | null;
            /** @description Of the connection. */
            permissions: {
                pull: boolean;
                push: boolean;
                admin: boolean;
            };
            /**
             * @description How Mooring accesses it.
             * @enum {string}
             */
            source?: "app" | "oauth" | "cli";
            branches?: components["schemas"]["GitHostBranch"][];
        };
        GitHostBranch: {
            name: string;
            commitSha: string;
            isProtected: boolean;
        };
        GitHostFile: {
            name: string;
            path: string;
            /** @enum {string} */
            type: "file" | "directory" | "link" | "submodule";
            bytes: number;
        };
        Webhook: {
            id: number;
            url: string;
            events: string[];
            active: boolean;
            /** @description Whether it sends pushes to this instance. */
            ours: boolean;
        };
        Delivery: {
            id: string;
            /** @description Delivery id of the git host. */
            guid: string;
            event: string;
            repository: string | null;
            ref: string | null;
            commitSha: string | null;
            /** @enum {string} */
            status: "received" | "handled" | "ignored" | "failed";
            /** @description Reason of the outcome. */
            why: string | null;
            projects: {
                projectId: string;
                deploymentId: string | null;
                why: string | null;
            }[];
            attempts: number;
            /** Format: date-time */
            receivedAt: string;
            handledAt: string | null;
        };
        Project: {
            id: string;
            name: string;
            slug: string;
            source: components["schemas"]["ProjectSource"];
            /** @description Number of previous releases to keep for rollbacks. */
            rollbackWindow: number;
            /** @description Deploy pushes automatically. */
            autoDeploy: boolean;
            /** @description Ask for approval before each release. */
            requireApproval: boolean;
            /** @description Allow access beyond its containers, such as host networking. Only the instance owner can set it. */
            trusted: boolean;
            /** @description Server that it is deployed to; null: the machine that runs Mooring. Cannot change while a release is active. */
            serverId: string | null;
            rootDirectory: string | null;
            /** @description Null: as detected. Empty: no command. */
            installCommand: string | null;
            /** @description Null: as detected. Empty: no command. */
            buildCommand: string | null;
            /** @description Null: as detected. Empty: no command. */
            startCommand: string | null;
            /** @description Command that runs once before each release. Null: as detected. Empty: no command. */
            releaseCommand: string | null;
            outputDirectory: string | null;
            framework: string | null;
            packageManager: string | null;
            nodeVersion: string | null;
            port: number | null;
            resources: {
                memoryMb?: number;
                cpus?: number;
                /** @description Containers only: make everything except `/tmp`, `/var/tmp`, `/run` and volumes read-only. Default: off. */
                readOnly?: boolean;
            };
            healthCheck: {
                path?: string;
                timeoutSeconds?: number;
                /** @enum {string} */
                type?: "http" | "tcp";
            };
            publicEndpoints: components["schemas"]["PublicEndpoint"][];
            /** @description Number of replicas of an app. */
            replicas: number;
            /** @description Number of replicas of compose services by name; default: as in the compose file. */
            scale: {
                [key: string]: number;
            };
            /** @description Labels that the build worker must have, such as `gpu`. */
            buildLabels: string[];
            /** @description Platforms that build workers build for, besides those of the machines that run it: `linux/amd64`. */
            buildPlatforms: string[];
            /** @description Address of production, once it is deployed. */
            url: string;
            /**
             * @description Where it runs.
             * @enum {string}
             */
            deployTarget: "local" | "server" | "cloud";
            /** @description State in the hosted cloud: `there` while it runs there, `left` when it was brought home but not removed there. */
            cloud: ("there" | "left") | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        ProjectSource: {
            /** @constant */
            type: "githost";
            owner: string;
            repo: string;
            /** @description The default branch of the repository if omitted. */
            branch?: string;
        } | {
            /** @constant */
            type: "git";
            url: string;
            /** @description The default branch of the repository if omitted. */
            branch?: string;
        } | {
            /** @constant */
            type: "upload";
        } | {
            /** @constant */
            type: "local";
            path: string;
        } | {
            /** @constant */
            type: "services";
        };
        PublicEndpoint: {
            port?: number | string;
            /** @description Serve only requests below this path; the longest match wins. */
            targetPath?: string;
            /** @description A subdomain of the domain of the instance. */
            domain?: string;
            /** @description Your own domain. The deployment adds it to the project. */
            customDomain?: string;
            /**
             * @description Which of the two is used.
             * @enum {string}
             */
            domainType?: "free" | "custom";
            /** @description Service that gets the requests; required if there are several. */
            service?: string;
            /**
             * @description No service of the compose stack is public. It is the only field of the only entry.
             * @constant
             */
            none?: true;
        };
        ProjectLink: {
            projectId: string;
            /** @description Null until the git host has responded once. */
            repositoryId: number | null;
            owner: string;
            repo: string;
            /** @description Branch whose pushes are deployed. */
            branch: string | null;
            /** @description Latest known commit of the branch. */
            seenCommit: string | null;
            /** @description Whether a webhook reports pushes. Otherwise Mooring polls the branch. */
            announced: boolean;
            checkedAt: string | null;
            /** @description Why the repository cannot be read at the moment. */
            problem: string | null;
        };
        Variable: {
            key: string;
            /** @description Null for a secret variable. */
            value: string | null;
            secret: boolean;
            buildTime: boolean;
            /** Format: date-time */
            updatedAt: string;
        };
        DeployKey: {
            /** @description Line to add to the repository as a read-only deploy key. */
            publicKey: string;
            fingerprint: string;
            /** Format: date-time */
            createdAt: string;
        };
        Registry: {
            id: string;
            address: string;
            username: string;
            hasPassword: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        UploadSession: {
            /** @constant */
            success: true;
            sessionId: string;
            /** Format: date-time */
            expiresAt: string;
            upload: {
                /** @description A path of this instance. */
                url: string;
                /** @constant */
                method: "PUT";
                /** @description All headers that the upload needs; shown only once. */
                headers: {
                    [key: string]: string;
                };
            };
        };
        Upload: {
            sessionId: string;
            size: number;
            sha256: string;
        };
        Detection: {
            framework: string | null;
            language: string | null;
            /** @description Version that the source asks for; null if it names none. */
            languageVersion: string | null;
            packageManager: string | null;
            installCommand: string | null;
            buildCommand: string | null;
            startCommand: string | null;
            /** @description Command of the source that runs once before each release. */
            releaseCommand: string | null;
            outputDirectory: string | null;
            /** @description File that is served for unknown paths; null for a plain site. */
            fallback: string | null;
            port: number | null;
            /** @description Health check path of a settings file of the source, used if the project sets none. */
            healthPath: string | null;
            dockerfile: string | null;
            /** @description The compose file of the source. */
            compose: string | null;
            /**
             * @description What is deployed: the app, or the services of the compose file. With `app` and a `compose` file, the variable `COMPOSE_FILE` of the project with the name of the file deploys its services instead.
             * @enum {string}
             */
            deploys: "app" | "compose";
            /** @description Services of the compose file; its problems are in `reasons`. */
            services: components["schemas"]["DetectedService"][];
            apps: {
                name: string;
                rootDirectory: string;
                framework: string | null;
            }[];
            variables: {
                key: string;
                example: string | null;
            }[];
            /** @description Variables without which the compose file cannot be deployed. */
            required: string[];
            /** @description Variables that a settings file of the source sets, such as fly.toml; those of the project win. */
            defaults: {
                key: string;
                value: string;
            }[];
            /** @description Folders that probably need a volume. */
            volumes: {
                name: string;
                path: string;
                reason: string;
            }[];
            /** @description Data that is lost with the next deployment and that no volume can keep, unless one of the variables is set. */
            warnings: {
                message: string;
                unlessVariables: string[];
            }[];
            /** @description Services of the compose file that are or can be public, the best first. Choose with `publicEndpoints` of the project. Null if no compose file is deployed. */
            reach: {
                services: {
                    service: string;
                    /** @description Null: the port that its image exposes, known once it is there. */
                    port: number | null;
                    /** @description Why it is or can be public. */
                    reason: string;
                    /** @description Whether it is public if nobody chooses. */
                    isPublic: boolean;
                }[];
                /** @description Set if several services can be public, and the source does not say which one is. */
                question: string | null;
                /** @description Set if no service can be reached. */
                warning: string | null;
            } | null;
            /** @description Access to the machine that the compose file asks for. Only trusted projects have it. */
            access: {
                /** @description Null for networks, volumes, configs and secrets. */
                service: string | null;
                field: string;
                file: string;
                line: number | null;
                /** @description What it is, and what it allows. */
                reason: string;
            }[];
            /** @description Reasons, one sentence for each conclusion. */
            reasons: string[];
        };
        DetectedService: {
            name: string;
            image: string | null;
            /** @description Null for services that are not built. `context` is a folder of the source. */
            build: {
                context: string;
                dockerfile: string | null;
                target: string | null;
            } | null;
            ports: {
                target: number;
                /** @description Port of the machine that it publishes. */
                published: number | null;
                protocol: string;
            }[];
            dependsOn: string[];
            /** @description Names of its variables. */
            environment: string[];
            /** @description Mount paths in the container. */
            volumes: string[];
        };
        Domain: {
            id: string;
            name: string;
            projectId: string;
            environment: string;
            /** @description Service that gets the requests; null: the one behind the address of the project. */
            service: string | null;
            /** @description Serve only requests below this path. */
            path: string;
            /** @description Another domain of the project, or `https://` and a host. Requests are redirected there with path and query. */
            redirectTo: string | null;
            /** @description The primary domain of its environment: the address that is shown. */
            isPrimary: boolean;
            /**
             * @description `redirect`: HTTP requests are redirected to HTTPS once there is a certificate.
             * @enum {string}
             */
            https: "redirect" | "optional";
            /** @description max-age of the HSTS header in seconds; null: no header. */
            hstsSeconds: number | null;
            url: string;
            /** @description Whether the DNS records point here; null before the first check. */
            pointing: {
                /** @enum {string} */
                status: "here" | "not_found" | "elsewhere" | "unreachable";
                message: string;
                fix: string | null;
                addresses: string[];
            } | null;
            checkedAt: string | null;
            certificate: {
                /** @enum {string} */
                source: "acme" | "uploaded";
                issuer: string;
                /** Format: date-time */
                validTo: string;
                daysLeft: number;
            } | null;
            /** @description Action required before the domain serves over HTTPS. */
            action: {
                required: boolean;
                message: string | null;
                fix: string | null;
            };
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        SslStatus: {
            domain: string;
            /** @description Whether the domain belongs to a project that you can see. */
            isOurs: boolean;
            stored: components["schemas"]["Certificate"] | null;
            /** @description Certificate that clients get. */
            served: {
                reachable: boolean;
                /** @description Code of the reason why it is not reachable. */
                code: string | null;
                /** @description Why it is not reachable. */
                reason: string | null;
                address: string | null;
                protocol: string | null;
                issuer: string | null;
                subjectNames: string[];
                validFrom: string | null;
                validTo: string | null;
                daysLeft: number | null;
                /** @description Whether it covers this domain. */
                matches: boolean | null;
                chain: ("trusted" | "self_signed" | "untrusted" | "incomplete" | "expired" | "not_yet_valid") | null;
                fingerprint: string | null;
            };
            order: {
                /** @enum {string} */
                status: "waiting" | "running" | "failed" | "done";
                /** @description Number of consecutive failures. */
                attempts: number;
                nextAttemptAt: string | null;
                error: {
                    code: string;
                    message: string;
                    hint: string;
                } | null;
            } | null;
            action: {
                required: boolean;
                message: string;
                fix: string | null;
            };
        };
        Certificate: {
            domain: string;
            /**
             * @description Whether it was issued by the certificate authority or uploaded.
             * @enum {string}
             */
            source: "acme" | "uploaded";
            issuer: string;
            subjectNames: string[];
            /** Format: date-time */
            validFrom: string;
            /** Format: date-time */
            validTo: string;
            daysLeft: number;
            /** @description When Mooring renews it; null for an uploaded certificate. */
            renewsAt: string | null;
            /** @description SHA-256, lower-case hex. */
            fingerprint: string;
            /** Format: date-time */
            createdAt: string;
        };
        Traffic: {
            environment: string;
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            stepSeconds: number;
            totals: {
                requests: number;
                /** @description Number of responses by status class. */
                statuses: {
                    "1xx": number;
                    "2xx": number;
                    "3xx": number;
                    "4xx": number;
                    "5xx": number;
                };
                bytesIn: number;
                bytesOut: number;
                /** @description Response-time percentiles in milliseconds. */
                latencyMs: {
                    p50: number | null;
                    p95: number | null;
                    p99: number | null;
                };
            };
            /** @description Only intervals with requests. */
            points: {
                /** Format: date-time */
                at: string;
                requests: number;
                /** @description Number of responses by status class. */
                statuses: {
                    "1xx": number;
                    "2xx": number;
                    "3xx": number;
                    "4xx": number;
                    "5xx": number;
                };
                bytesIn: number;
                bytesOut: number;
                /** @description Response-time percentiles in milliseconds. */
                latencyMs: {
                    p50: number | null;
                    p95: number | null;
                    p99: number | null;
                };
            }[];
        };
        BackupDestination: {
            id: string;
            name: string;
            kind: string;
            bucket: string | null;
            region: string | null;
            endpoint: string | null;
            sshHost: string | null;
            sshPort: number | null;
            sshUser: string | null;
            serverId: string | null;
            pathPrefix: string;
            isDefault: boolean;
            hasAccessKeyId: boolean;
            hasSecretAccessKey: boolean;
            hasSftpPassword: boolean;
            hasSftpPrivateKey: boolean;
            hasSftpKeyPassphrase: boolean;
            /** @description Pinned at the first connection. A different host key is refused. */
            hostKey: string | null;
            lastVerifiedAt: string | null;
            lastVerifyError: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        BackupDestinationBody: {
            name: string;
            /** @description Prefix of all object names. */
            pathPrefix?: string | null;
            isDefault?: boolean;
            kind: string;
            /** @description The name of an existing bucket. */
            bucket?: string | null;
            /** @description For example eu-central-1. Leave it empty to detect it. */
            region?: string | null;
            /** @description S3-compatible bucket: For example https://s3.example.com. Leave it empty for Amazon S3. Folder on this machine: Absolute path inside BACKUP_LOCAL_ROOT, the folder that this instance allows for backups. */
            endpoint?: string | null;
            /** @description The key must be allowed to list, read, write and delete objects in the bucket. Never shown again. */
            accessKeyId?: string | null;
            /** @description The secret of that access key. Never shown again. */
            secretAccessKey?: string | null;
            /** @description Host name or IP address. */
            sshHost?: string | null;
            /** @description Defaults to 22. */
            sshPort?: (number | string) | null;
            /** @description The user to sign in as. */
            sshUser?: string | null;
            /** @description Needed unless you give a private key. Never shown again. */
            sftpPassword?: string | null;
            /** @description In OpenSSH or PEM format. Needed unless you give a password. Never shown again. */
            sftpPrivateKey?: string | null;
            /** @description Passphrase of the private key, if it has one. Never shown again. */
            sftpKeyPassphrase?: string | null;
            /** @description Archives are stored there over the connection that deployments use. */
            serverId?: string | null;
        };
        BackupDestinationKind: {
            kind: string;
            label: string;
            help: string;
            fields: {
                name: string;
                label: string;
                help: string;
                type: string;
                secret: boolean;
                required: boolean;
                /** @description A change of this field needs the stored credentials again. */
                address: boolean;
                maxLength: number;
            }[];
            /** @description At least one field of each group is required. */
            oneOf: string[][];
        };
        Preflight: {
            ok: boolean;
            reason?: string;
            code?: string;
        };
        BackupPolicy: {
            id: string;
            name: string;
            projectId: string | null;
            /** @enum {string} */
            scope: "project" | "instance";
            environment: string;
            enabled: boolean;
            /**
             * @description `all`: every volume and database, also those that are added later.
             * @default all
             */
            sources: "all" | components["schemas"]["BackupSource"][];
            /** @description Cron expression of five fields. */
            schedule: string;
            /** @default UTC */
            timezone: string;
            destinationIds: string[];
            /** @description Backups to keep: the last ones, and the newest of each day, week and month. */
            retention: {
                /** @default 0 */
                last: number;
                /** @default 0 */
                daily: number;
                /** @default 0 */
                weekly: number;
                /** @default 0 */
                monthly: number;
            };
            /**
             * @default {
             *       "enabled": true
             *     }
             */
            encryption: {
                /** @default true */
                enabled: boolean;
                /** @description Further age keys that can decrypt the archives. */
                recipients?: string[];
            };
            /**
             * @description Commands around each backup.
             * @default {}
             */
            hooks: {
                /** @description Command that runs in the service before the backup. */
                before?: string;
                /** @description Command that runs after it, also after a failure. */
                after?: string;
                /** @description Service of the compose file; `app` for an app. */
                service?: string;
            };
            /**
             * @description Scheduled restores into a scratch place, which prove that the backups work.
             * @default null
             */
            drill: {
                schedule: string;
                /** @description Read-only query whose result is recorded. Counts all rows if left out. */
                query?: string;
            } | null;
            /**
             * @description `check`: read again if files changed meanwhile. `pause`: services are paused while a volume is read.
             * @default check
             * @enum {string}
             */
            consistency: "check" | "pause";
            /**
             * @description Bytes per second that are sent to each destination; null for no limit.
             * @default null
             */
            bandwidthLimit: number | null;
            nextRunAt: string | null;
            /** @description The newest run. `error` is of the last run that ended, until one completes. */
            lastRun: {
                id: string;
                status: string;
                finishedAt: string | null;
                error: components["schemas"]["BackupFailure"] | null;
            } | null;
            lastSuccessAt: string | null;
            /** @description Last proven restore. */
            lastDrillAt: string | null;
            /**
             * @description `late`: a scheduled backup is missing. `failing`: the last run failed. `never`: none has run yet.
             * @enum {string}
             */
            health: "ok" | "late" | "failing" | "never";
            /** Format: date-time */
            createdAt: string;
        };
        BackupSource: {
            /** @constant */
            type: "volume";
            volume: string;
        } | {
            /** @constant */
            type: "database";
            /** @description Service of the compose file; `app` for an app. */
            service: string;
            /**
             * @description Found by the image if left out.
             * @enum {string}
             */
            engine?: "postgres" | "mysql" | "mariadb" | "mongodb" | "redis" | "sqlite";
            /** @description Name of the database, or path of a SQLite file in its volume. */
            database?: string;
        } | {
            /** @constant */
            type: "files";
            /** @description Service of the compose file; `app` for an app. */
            service: string;
            path: string;
        };
        BackupFailure: {
            code: string;
            message: string;
            hint: string;
        };
        BackupPolicyBody: {
            name: string;
            projectId?: string;
            /**
             * @description Instead of a project: Mooring itself. For the instance owner.
             * @constant
             */
            scope?: "instance";
            /** @default production */
            environment: string;
            /** @default true */
            enabled: boolean;
            /**
             * @description `all`: every volume and database, also those that are added later.
             * @default all
             */
            sources: "all" | components["schemas"]["BackupSource"][];
            /** @description Cron expression of five fields. */
            schedule: string;
            /** @default UTC */
            timezone: string;
            destinationIds: string[];
            /** @description Backups to keep: the last ones, and the newest of each day, week and month. */
            retention: {
                /** @default 0 */
                last: number;
                /** @default 0 */
                daily: number;
                /** @default 0 */
                weekly: number;
                /** @default 0 */
                monthly: number;
            };
            /**
             * @default {
             *       "enabled": true
             *     }
             */
            encryption: {
                /** @default true */
                enabled: boolean;
                /** @description Further age keys that can decrypt the archives. */
                recipients?: string[];
            };
            /**
             * @description Commands around each backup.
             * @default {}
             */
            hooks: {
                /** @description Command that runs in the service before the backup. */
                before?: string;
                /** @description Command that runs after it, also after a failure. */
                after?: string;
                /** @description Service of the compose file; `app` for an app. */
                service?: string;
            };
            /**
             * @description Scheduled restores into a scratch place, which prove that the backups work.
             * @default null
             */
            drill: {
                schedule: string;
                /** @description Read-only query whose result is recorded. Counts all rows if left out. */
                query?: string;
            } | null;
            /**
             * @description `check`: read again if files changed meanwhile. `pause`: services are paused while a volume is read.
             * @default check
             * @enum {string}
             */
            consistency: "check" | "pause";
            /**
             * @description Bytes per second that are sent to each destination; null for no limit.
             * @default null
             */
            bandwidthLimit: number | null;
        };
        Backup: {
            id: string;
            policyId: string | null;
            projectId: string | null;
            /** @enum {string} */
            status: "queued" | "running" | "verifying" | "completed" | "failed" | "cancelled";
            progress: {
                /** @description What is being done, such as `sending volume-uploads`. */
                phase: string;
                bytesDone: number;
                bytesTotal: number | null;
            };
            error: components["schemas"]["BackupFailure"] | null;
            /** Format: date-time */
            createdAt: string;
            startedAt: string | null;
            finishedAt: string | null;
            /** @enum {string} */
            trigger: "schedule" | "manual" | "before-restore";
            archives: components["schemas"]["BackupArchive"][];
            /** @description Size of all archives. */
            bytes: number;
            pinned: boolean;
        };
        BackupArchive: {
            id: string;
            source: components["schemas"]["BackupSource"];
            /** @description Name of the source in restores. */
            name: string;
            destinationId: string;
            /** @description Object name at the destination. */
            key: string;
            bytes: number;
            /** @description Size before compression. */
            contentBytes: number;
            sha256: string;
            encrypted: boolean;
            /**
             * Format: date-time
             * @description When it was read back and compared.
             */
            verifiedAt: string;
        };
        Restore: {
            id: string;
            policyId: string | null;
            projectId: string | null;
            /** @enum {string} */
            status: "queued" | "running" | "verifying" | "completed" | "failed" | "cancelled";
            progress: {
                /** @description What is being done, such as `sending volume-uploads`. */
                phase: string;
                bytesDone: number;
                bytesTotal: number | null;
            };
            error: components["schemas"]["BackupFailure"] | null;
            /** Format: date-time */
            createdAt: string;
            startedAt: string | null;
            finishedAt: string | null;
            /** @enum {string} */
            kind: "restore" | "drill";
            backupId: string;
            /** @enum {string} */
            target: "in-place" | "new-volume" | "scratch";
            sources: string[] | null;
            results: {
                source: string;
                place: string;
            }[];
            /** @description What shows that the restored data is usable. */
            proof: {
                query: string;
                result: string;
            } | null;
            /** @description The backup taken before the data was replaced. */
            beforeBackupId: string | null;
            undoable: boolean;
            undoOf: string | null;
        };
        FoundBackupSource: {
            source: components["schemas"]["BackupSource"];
            name: string;
            reason: string;
            isDefault: boolean;
        };
        BackupKey: {
            recipient: string;
            /** Format: date-time */
            createdAt: string;
            exportedAt: string | null;
        };
        RestoreBody: {
            /**
             * @description `in-place` replaces the data, after a backup of it. `new-volume` restores to new volumes and databases. `scratch` restores to a place that nothing uses, which is removed after a day.
             * @enum {string}
             */
            target: "in-place" | "new-volume" | "scratch";
            /** @description Another project to restore to. */
            projectId?: string;
            environment?: string;
            /** @description Names of archives; all by default. */
            sources?: string[];
            /** @description Names of the new volumes and databases, by source. */
            names?: {
                [key: string]: string;
            };
            /** @description One file or folder of a volume. */
            path?: string;
            /** @description Read-only query to prove a scratch restore with. */
            query?: string;
            /** @description Must be true for `in-place`. */
            confirm?: boolean;
        };
        Deployment: {
            id: string;
            projectId: string;
            organizationId: string;
            environment: string;
            /** @enum {string} */
            status: "queued" | "building" | "deploying" | "ready" | "failed" | "cancelled" | "partial_failure" | "rejected";
            decision: string | null;
            pinned: boolean;
            /** @description Whether this release serves requests. */
            active: boolean;
            trigger: string;
            branch: string | null;
            commitSha: string | null;
            commitMessage: string | null;
            urls: string[];
            timing: {
                /** Format: date-time */
                createdAt: string;
                startedAt: string | null;
                buildStartedAt: string | null;
                buildFinishedAt: string | null;
                finishedAt: string | null;
                buildMs: number | null;
                totalMs: number | null;
            };
            error: {
                code: string;
                step: string | null;
                message: string;
                hint: string | null;
                /**
                 * @description Lines of the output around the one that explains the failure; secrets are redacted.
                 * @default []
                 */
                excerpt: string[];
            } | null;
            /** @description The service `app`, or the services of the compose file or request. */
            services: {
                name: string;
                status: string;
                image: string | null;
                digest: string | null;
                error: string | null;
                /** @description Planned change of the service; null for an app and before the plan step. */
                change: ("unchanged" | "create" | "replace" | "remove") | null;
                /** @description How it is replaced: started beside the previous version, or after stopping it. */
                strategy: ("start_first" | "stop_first") | null;
                /** @description Why it is replaced in this way. */
                reason: string | null;
                /** @description Deployment whose container is running. */
                deploymentId: string | null;
            }[];
            serverId: string | null;
            deployTarget: string;
            rollbackOf: string | null;
            redeployOf: string | null;
            createdBy: string;
        };
        Plan: {
            services: {
                name: string;
                /** @enum {string} */
                change: "unchanged" | "create" | "replace" | "remove";
                strategy: ("start_first" | "stop_first") | null;
                reason: string | null;
                /** @description Data that the deployment would leave behind or replace. The deployment asks before it does that. */
                dataAtRisk: string[];
            }[];
            /** @description Warnings about the compose file: settings that Mooring ignores, variables that are not set. */
            warnings: string[];
            /** @description Data that deployments lose, because no volume keeps it. */
            volumeWarnings: string[];
        };
        LogLine: {
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            kind: "build" | "runtime";
            line: string;
            level: string;
            step: string | null;
            stream: string;
            service: string | null;
            /** @description Replica that wrote the line; null for build output. */
            replica: number | null;
            seq: number | null;
        };
        BuildState: {
            deploymentId: string;
            status: string;
            step: string | null;
            steps: {
                name: string;
                /**
                 * @description Every step of a finished deployment has ended: the one at which it failed or was cancelled says so, and the steps after it are `not_run`. `skipped` has nothing to do in this deployment.
                 * @enum {string}
                 */
                status: "waiting" | "running" | "done" | "skipped" | "failed" | "cancelled" | "not_run";
                startedAt: string | null;
                finishedAt: string | null;
                attempt: number;
            }[];
            prompt: {
                id: string;
                question: string;
                options: string[];
                byDefault: string;
                /** Format: date-time */
                expiresAt: string;
            } | null;
            lastSeq: number;
            /** @description Data outside volumes, which deployments lose. */
            warnings: {
                /** Format: date-time */
                at: string;
                /**
                 * @description The source says that the app writes there, the release wrote files that the next deployment loses, or a deployment has lost files.
                 * @enum {string}
                 */
                kind: "detected" | "at_risk" | "lost";
                message: string;
                service: string | null;
            }[];
            /** @description How the app is built and started, from the project settings and detection. Null before the `detect` step and for compose stacks. */
            recipe: {
                framework: string | null;
                installCommand: string | null;
                buildCommand: string | null;
                startCommand: string | null;
                releaseCommand: string | null;
                outputDirectory: string | null;
            } | null;
            /** @description Release commands that ran since this release was built. A rollback to it does not undo their changes to databases and volumes. */
            releaseCommandsSince: string[];
        };
        Worker: {
            id: string;
            name: string;
            /** @description Platforms that it builds, such as `linux/arm64`. */
            platforms: string[];
            labels: string[];
            version: string;
            /** Format: date-time */
            lastSeenAt: string;
            /** @description False if it has not reported for 15 s. After a day it is not listed any more. */
            isConnected: boolean;
            /** @description What it builds now. */
            builds: {
                deploymentId: string;
                service: string;
                platform: string;
            }[];
        };
        Volume: {
            /** @description Its name in the container engine. */
            id: string | null;
            name: string;
            path: string | null;
            service: string | null;
            environment: string;
            /**
             * @description Whether it was added to the project, comes from the compose file, or is declared by an image.
             * @enum {string}
             */
            origin: "project" | "compose" | "image";
            sizeBytes: number | null;
            /** @description The active release mounts it. */
            inUse: boolean;
            /** @description The next deployment mounts it, or mounts it at another path. */
            pending: boolean;
            overlap: boolean;
            /** @description It was removed with its data, and the data is still being deleted. */
            deleting: boolean;
            createdAt: string | null;
        };
        VolumeEntry: {
            name: string;
            /** @enum {string} */
            type: "file" | "folder" | "link" | "other";
            sizeBytes: number | null;
            /** Format: date-time */
            modifiedAt: string;
        };
        Scaled: {
            service: string;
            replicas: number;
            environment: string;
            /** @description Active release that is scaled. Null: the number takes effect with the next deployment. */
            deploymentId: string | null;
        };
        Stack: {
            serverId: string;
            engine: {
                version: string;
                apiVersion: string;
                os: string;
                arch: string;
                swarm: boolean;
                rootless: boolean;
                cgroup: string;
            };
            groups: {
                project: string | null;
                /** @enum {string} */
                source: "compose" | "swarm" | "coolify" | "dokploy" | "caprover" | "portainer" | "dokku" | "mooring" | "hand";
                composeFiles: {
                    path: string;
                    found: boolean;
                    matches: boolean;
                    problem?: string;
                }[];
                services: string[];
            }[];
            services: components["schemas"]["StackService"][];
            volumes: {
                name: string;
                driver: string;
                usedBy: string[];
                anonymous: boolean;
                /** @description No compose project on this server has created it. */
                external: boolean;
            }[];
            networks: {
                name: string;
                driver: string;
                usedBy: string[];
                internal: boolean;
            }[];
            warnings: string[];
            /** @description Number of services that can be adopted. */
            adoptable: number;
            alreadyManaged: string[];
        };
        StackService: {
            /** @description Name for `adopt`: `group/service`, or the service alone. */
            name: string;
            service: string;
            group: string | null;
            /** @description Of its first container, or of the Swarm service. */
            containerId: string;
            containerName: string;
            /** @description Number of its containers; the details are those of the first one. */
            replicas: number;
            image: string;
            imageId: string;
            digest: string | null;
            state: string;
            health: string | null;
            createdAt: string;
            restartPolicy: string;
            command: string[] | null;
            entrypoint: string[] | null;
            user: string;
            workingDir: string;
            ports: {
                target: number;
                protocol: string;
                /** @description Null: the engine chooses one. */
                published: number | null;
                /** @description Null: on every address. */
                hostIp: string | null;
            }[];
            exposed: string[];
            mounts: {
                type: string;
                /** @description The volume, or the folder of the machine. */
                source: string;
                target: string;
                readOnly: boolean;
            }[];
            networks: {
                name: string;
                aliases: string[];
            }[];
            limits: {
                memory: number | null;
                cpus: number | null;
                pids: number | null;
            };
            healthcheck: {
                test: string[];
                intervalSeconds: number | null;
            } | null;
            env: {
                key: string;
                /** @description Null where it looks like a secret. */
                value: string | null;
                secret: boolean;
            }[];
            labels: {
                [key: string]: string;
            };
            /** @description Routes configured in a proxy on the server. */
            routes: {
                host: string;
                path: string | null;
                port: number | null;
                /** @enum {string} */
                proxy: "traefik" | "nginx-proxy" | "caddy";
            }[];
            logDriver: string;
            dependsOn: string[];
            /** @enum {string} */
            managedBy: "compose" | "swarm" | "coolify" | "dokploy" | "caprover" | "portainer" | "dokku" | "mooring" | "hand";
            adoptable: boolean;
            /** @description Why only the instance owner can adopt it. */
            needsTrust: string[];
            alreadyManaged: boolean;
            warnings: string[];
        };
        Adoption: {
            projectId: string;
            serverId: string;
            /**
             * @description `adopted`: no container was replaced yet. `switched`: containers were replaced and can be restored.
             * @enum {string}
             */
            state: "adopted" | "switched" | "undoing" | "undone" | "confirming" | "confirmed";
            services: {
                name: string;
                originals: {
                    /** @description Of the container or Swarm service. */
                    id: string;
                    name: string;
                    /**
                     * @description `in_charge`: unchanged. `stopped`: replaced by the project and kept.
                     * @enum {string}
                     */
                    standing: "in_charge" | "stopped" | "removed";
                    /** @description Reported by the server; null when it cannot be reached. */
                    running: boolean | null;
                }[];
                /** @description An undo stops the service before its originals start, because they share a port or a volume. */
                stopsFirst: boolean;
            }[];
            /** @description Differences from the original containers, as found by the adoption. */
            warnings: string[];
            canUndo: boolean;
        };
        CloudLink: {
            linked: boolean;
            /** @description Whether the link belongs to the organization or to the whole instance. */
            from: ("organization" | "settings") | null;
            url: string | null;
            /** @description Owner of the token. */
            account: string | null;
            /** @description Organization in the cloud. */
            organization: {
                id: string;
                name: string;
            } | null;
            /** @description Whether the cloud responds and accepts the token. */
            reachable: boolean | null;
            /** @description Why not. */
            problem: string | null;
            /** @description Number of projects of the organization in the cloud. */
            projects: number;
            linkedAt: string | null;
        };
        OrganizationLimits: {
            projects: {
                used: number;
                /** @description Null: no limit. */
                limit: number | null;
            };
            buildsAtOnce: {
                used: number;
                /** @description Null: no limit. */
                limit: number | null;
            };
            /** @description Total of everything that runs or is starting. */
            memoryMb: {
                used: number;
                /** @description Null: no limit. */
                limit: number | null;
            };
            cpus: {
                used: number;
                /** @description Null: no limit. */
                limit: number | null;
            };
            /** @description Default and maximum of one container. */
            container: {
                memoryMb: {
                    /** @description Null: no limit. */
                    usual: number | null;
                    /** @description Null: no limit. */
                    most: number | null;
                };
                cpus: {
                    /** @description Null: no limit. */
                    usual: number | null;
                    /** @description Null: no limit. */
                    most: number | null;
                };
            };
        };
    };
    responses: {
        /** @description What went wrong. */
        Error: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ok";
                        version: string;
                        /** @enum {string} */
                        mode: "self-hosted" | "cloud";
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getInstance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            version: string;
                            /** @enum {string} */
                            mode: "self-hosted" | "cloud";
                            /** @description Compose files and images run on this machine only when it has Docker. */
                            containers: boolean;
                            /** @description What the instance owner should know about this machine. */
                            notices: string[];
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getInstanceConnection: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Connection"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getOpenapiJson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getInstanceUpdate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["InstanceUpdate"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postInstanceUpdate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    version: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["InstanceUpdate"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getAuthSetup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            needed: boolean;
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postAuthSetup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description From the link that the first start prints. */
                    code: string;
                    name: string;
                    email: string;
                    password: string;
                    organizationName?: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            user: components["schemas"]["User"];
                            organization: {
                                id: string;
                                name: string;
                            };
                            /** @description Send it as `X-Session-Proof` with each request of this session. Shown only once. */
                            sessionProof: string;
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postAuthSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            id: string;
                            email: string;
                            name: string;
                            /** @description Send it as `X-Session-Proof` with each request of this session. Shown only once. */
                            sessionProof: string;
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postAuthSignOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Me"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postAuthPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    currentPassword: string;
                    newPassword: string;
                    /** @default false */
                    revokeTokens?: boolean;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postMembersByIdPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            token: string;
                            url: string;
                            /** Format: date-time */
                            expiresAt: string;
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postAuthResetPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    token: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getOrganizations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Organization"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postOrganizations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Organization"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    patchOrganizationsCurrent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Organization"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getMembers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Member"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    deleteMembersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    patchMembersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    role: "owner" | "admin" | "member" | "viewer" | "restricted";
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Member"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    putMembersByIdGrants: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    grants: {
                        /** @enum {string} */
                        resource: "project" | "server" | "backup_destination" | "repository";
                        /** @description Id of the thing; for a repository `owner/repo` or `owner/*`. */
                        id: string;
                        actions: ("list" | "read" | "write" | "admin")[];
                    }[];
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Member"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postOrganizationsLeave: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    organizationId: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getInvitations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Invitation"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postInvitations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                    /** @enum {string} */
                    role: "owner" | "admin" | "member" | "viewer" | "restricted";
                    /**
                     * @description For the role `restricted`.
                     * @default []
                     */
                    grants?: {
                        /** @enum {string} */
                        resource: "project" | "server" | "backup_destination" | "repository";
                        /** @description Id of the thing; for a repository `owner/repo` or `owner/*`. */
                        id: string;
                        actions: ("list" | "read" | "write" | "admin")[];
                    }[];
                };
            };
        };
        responses: {
            /** @description It worked. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["CreatedInvitation"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    deleteInvitationsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postInvitationsLook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    token: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            organizationName: string;
                            email: string;
                            /** @enum {string} */
                            role: "owner" | "admin" | "member" | "viewer" | "restricted";
                            /** @description Whether the person has an account on this instance already and signs in with its password. */
                            hasAccount: boolean;
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postInvitationsAccept: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    token: string;
                    /** @description Required for a person without an account. */
                    name?: string;
                    /** @description A new password, or the existing one of a person who has an account. */
                    password: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            user: {
                                id: string;
                                email: string;
                                name: string;
                            };
                            organization: {
                                id: string;
                                name: string;
                            };
                            /** @description Send it as `X-Session-Proof` with each request of this session. Shown only once. */
                            sessionProof: string;
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Token"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @description `"*"` for everything you may do, or a list of `<resource>:<action>`. */
                    permissions: "*" | string[];
                    /** @description Another organization of yours; only when signed in by cookie. */
                    organizationId?: string;
                    expiresInDays?: number;
                };
            };
        };
        responses: {
            /** @description It worked. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["CreatedToken"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    deleteTokensById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getAudit: {
        parameters: {
            query?: {
                /** @description Page size, 1 to 100. */
                limit?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: string;
                /** @description One action (`token.created`), or all of a noun (`token.`). */
                action?: string;
                /** @description Id of the user who made the change. */
                actorId?: string;
                /** @description Id of the resource that was changed. */
                targetId?: string;
                /** @description At or after this time. */
                from?: string;
                /** @description Before this time. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["AuditEntry"][];
                        nextCursor: string | null;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getServers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Server"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postServers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description `this_machine` is the machine that runs Mooring; only for the instance owner.
                     * @default ssh
                     * @enum {string}
                     */
                    kind?: "ssh" | "this_machine";
                    name: string;
                    /** @description Host name or IP address. */
                    host?: string;
                    /** @description Default: 22. */
                    port?: number;
                    /** @description User to sign in as. */
                    user?: string;
                    /** @description Never shown again. */
                    password?: string | null;
                    /** @description In the format of OpenSSH or as PEM. Never shown again. */
                    privateKey?: string | null;
                    /** @description Passphrase of the private key. Never shown again. */
                    passphrase?: string | null;
                    /** @description Domain of generated addresses there. null: the base domain of the instance. */
                    baseDomain?: string | null;
                    /** @description Port of the edge there. null: 80. */
                    edgePort?: number | null;
                    /** @description TLS port of the edge there. null: 443. */
                    edgeTlsPort?: number | null;
                    /** @description Generate a key for this server; add `publicKey` to its authorized_keys. */
                    generateKey?: boolean;
                };
            };
        };
        responses: {
            /** @description It worked. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Server"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getServersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Server"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    deleteServersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        /** @description What remains on the machine if it could not be reached. */
                        message?: string;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    patchServersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description `this_machine` is the machine that runs Mooring; only for the instance owner.
                     * @enum {string}
                     */
                    kind?: "ssh" | "this_machine";
                    name?: string;
                    /** @description Host name or IP address. */
                    host?: string;
                    /** @description Default: 22. */
                    port?: number;
                    /** @description User to sign in as. */
                    user?: string;
                    /** @description Never shown again. */
                    password?: string | null;
                    /** @description In the format of OpenSSH or as PEM. Never shown again. */
                    privateKey?: string | null;
                    /** @description Passphrase of the private key. Never shown again. */
                    passphrase?: string | null;
                    /** @description Domain of generated addresses there. null: the base domain of the instance. */
                    baseDomain?: string | null;
                    /** @description Port of the edge there. null: 80. */
                    edgePort?: number | null;
                    /** @description TLS port of the edge there. null: 443. */
                    edgeTlsPort?: number | null;
                    /** @description Generate a key for this server; add `publicKey` to its authorized_keys. */
                    generateKey?: boolean;
                    /** @description null removes it. */
                    hostKey?: string | null;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Server"];
                        /** @description Whether the pinned host key was kept. */
                        message?: string;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postServersByIdTest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["ServerCheck"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getServersByIdCluster: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Cluster"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postServersByIdCluster: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Address at which the other nodes reach it. Default: the IP address of the server, or what Docker chooses. */
                    advertiseAddress?: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Cluster"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postServersByIdClusterNodes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Server that becomes a node. */
                    serverId: string;
                    /**
                     * @description Managers keep the state of the cluster. It works while more than half of them do.
                     * @default worker
                     * @enum {string}
                     */
                    role?: "worker" | "manager";
                    /** @description Address at which the other nodes reach it. Default: the IP address of the server, or what Docker chooses. */
                    advertiseAddress?: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Cluster"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postServersByIdClusterHead: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Manager that becomes the server of the cluster. */
                    serverId: string;
                    /**
                     * @description Also if folders or files that services mount are on the previous server; they stay there.
                     * @default false
                     */
                    force?: boolean;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Cluster"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    deleteServersByIdClusterNodesByNodeId: {
        parameters: {
            query?: {
                /** @description Remove it anyway; volumes there are not used any more. */
                force?: string;
            };
            header?: never;
            path: {
                id: string;
                /** @description Id or host name of the node. */
                nodeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Cluster"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    patchServersByIdClusterNodesByNodeId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                /** @description Id or host name of the node. */
                nodeId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description `drain` moves everything to other nodes.
                     * @enum {string}
                     */
                    availability?: "active" | "drain";
                    /**
                     * @description Managers keep the state of the cluster. It works while more than half of them do.
                     * @enum {string}
                     */
                    role?: "worker" | "manager";
                    /**
                     * @description Drain a node whose volumes no other node has; their services stop.
                     * @default false
                     */
                    force?: boolean;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Cluster"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getGithostStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description `connected`: a source works. `disconnected`: nobody has connected one. `suspended`: the app is suspended at the git host. `signed_out`: the git host rejects the credentials; connect again. `unavailable`: the git host does not respond.
                         * @enum {string}
                         */
                        state: "connected" | "disconnected" | "suspended" | "signed_out" | "unavailable";
                        accounts: components["schemas"]["GitHostAccount"][];
                        /** @description Address to install the app for more accounts; null without an app. */
                        installUrl: string | null;
                        /** @description Whether connecting needs the linked cloud, which does not respond. */
                        cloudUnreachable: boolean;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getGithostHome: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description `connected`: a source works. `disconnected`: nobody has connected one. `suspended`: the app is suspended at the git host. `signed_out`: the git host rejects the credentials; connect again. `unavailable`: the git host does not respond.
                         * @enum {string}
                         */
                        state: "connected" | "disconnected" | "suspended" | "signed_out" | "unavailable";
                        accounts: components["schemas"]["GitHostAccount"][];
                        repos: components["schemas"]["GitHostRepository"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getGithostLocalStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Whether the gh sign-in of this machine can be used. */
                        available: boolean;
                        installed: boolean;
                        signedIn: boolean;
                        version: string | null;
                        /** @description Git host of the sign-in. */
                        hostname: string | null;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postGithostDisconnect: {
        parameters: {
            query?: {
                /** @description What to disconnect; default `all`. */
                source?: "oauth" | "cli" | "all";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description What to disconnect; default `all`.
                     * @enum {string}
                     */
                    source?: "oauth" | "cli" | "all";
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /** @description What was disconnected. */
                            sources: ("app" | "oauth" | "cli")[];
                            /** @description What could not be revoked at the git host. Mooring has deleted it in any case. */
                            warnings: string[];
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postGithostConnect: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Forces a method; otherwise the server picks one. `app` installs the app for another account.
                     * @enum {string}
                     */
                    source?: "oauth" | "cli" | "app";
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GitHostConnect"];
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getGithostConnectPoll: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Status of the latest device login of the caller; `none` if there is none.
                         * @enum {string}
                         */
                        status: "none" | "pending" | "connected" | "expired" | "denied";
                        userCode?: string;
                        verificationUri?: string;
                        /** Format: date-time */
                        expiresAt?: string;
                        /** @description How long to wait before the next poll. */
                        intervalSeconds?: number;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getGithostConnectRedirect: {
        parameters: {
            query?: {
                /** @description State of the sign-in that began here. */
                state?: unknown;
                /** @description Authorization code of the git host. */
                code?: unknown;
                error?: unknown;
                setup_action?: unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getGithostRepos: {
        parameters: {
            query?: {
                /** @description Only repositories of this account. */
                owner?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["GitHostRepository"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postGithostRepos: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @default true */
                    private?: boolean;
                    /** @description An account of the git host; default: the connected account. */
                    owner?: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["GitHostRepository"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getGithostOrgsByOrgRepos: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["GitHostRepository"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getGithostReposByOwnerByRepo: {
        parameters: {
            query?: {
                /** @description `true`: include its branches. */
                branches?: "true" | "false";
            };
            header?: never;
            path: {
                owner: string;
                repo: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["GitHostRepositoryWithBranches"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    deleteGithostReposByOwnerByRepo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                owner: string;
                repo: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getGithostReposByOwnerByRepoBranches: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                owner: string;
                repo: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["GitHostBranch"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getGithostReposByOwnerByRepoCloneToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                owner: string;
                repo: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Reads this repository only and expires within an hour. Shown only once. */
                        token: string;
                        cloneUrl: string;
                        /** @description Command that clones it, quoted for a POSIX shell. */
                        command: string;
                        /** Format: date-time */
                        expiresAt: string;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getGithostReposByOwnerByRepoFiles: {
        parameters: {
            query?: {
                /** @description A folder of the repository; default: its root. */
                path?: string;
                /** @description A branch; default: the default branch. */
                branch?: string;
            };
            header?: never;
            path: {
                owner: string;
                repo: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["GitHostFile"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getGithostReposByOwnerByRepoFile: {
        parameters: {
            query?: {
                /** @description Path of the file. */
                file?: string;
                /** @description A branch; default: the default branch. */
                branch?: string;
            };
            header?: never;
            path: {
                owner: string;
                repo: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        /** @description Parsed content of a valid `.json` file; otherwise the text. */
                        data: unknown;
                        /** @enum {string} */
                        format: "json" | "text";
                        path: string;
                        bytes: number;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getGithostReposByOwnerByRepoWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                owner: string;
                repo: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Webhook"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postGithostReposByOwnerByRepoWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                owner: string;
                repo: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Webhook"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    deleteGithostReposByOwnerByRepoWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                owner: string;
                repo: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    hookId: number;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            hookId: number;
                            /** @description Whether it was deleted at the git host. */
                            deleted: boolean;
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postWebhooksGithost: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /** @enum {string} */
                            status: "accepted" | "duplicate" | "ignored";
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getGithostDeliveries: {
        parameters: {
            query?: {
                /** @description Page size, 1 to 100. */
                limit?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Delivery"][];
                        nextCursor: string | null;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postGithostDeliveriesByIdReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Delivery"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getProjects: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Project"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postProjects: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @description Part of the generated address. Default: made from the name. */
                    slug?: string;
                    source?: components["schemas"]["ProjectSource"];
                    /** @description Number of previous releases to keep for rollbacks. */
                    rollbackWindow?: number;
                    /** @description Deploy pushes automatically. */
                    autoDeploy?: boolean;
                    /** @description Ask for approval before each release. */
                    requireApproval?: boolean;
                    /** @description Allow access beyond its containers, such as host networking. Only the instance owner can set it. */
                    trusted?: boolean;
                    /** @description Server that it is deployed to; null: the machine that runs Mooring. Cannot change while a release is active. */
                    serverId?: string | null;
                    rootDirectory?: string | null;
                    /** @description Null: as detected. Empty: no command. */
                    installCommand?: string | null;
                    /** @description Null: as detected. Empty: no command. */
                    buildCommand?: string | null;
                    /** @description Null: as detected. Empty: no command. */
                    startCommand?: string | null;
                    /** @description Command that runs once before each release. Null: as detected. Empty: no command. */
                    releaseCommand?: string | null;
                    outputDirectory?: string | null;
                    framework?: string | null;
                    packageManager?: string | null;
                    nodeVersion?: string | null;
                    port?: number | null;
                    resources?: {
                        memoryMb?: number;
                        cpus?: number;
                        /** @description Containers only: make everything except `/tmp`, `/var/tmp`, `/run` and volumes read-only. Default: off. */
                        readOnly?: boolean;
                    };
                    healthCheck?: {
                        path?: string;
                        timeoutSeconds?: number;
                        /** @enum {string} */
                        type?: "http" | "tcp";
                    };
                    publicEndpoints?: components["schemas"]["PublicEndpoint"][];
                    /** @description Number of replicas of an app. */
                    replicas?: number;
                    /** @description Number of replicas of compose services by name; default: as in the compose file. */
                    scale?: {
                        [key: string]: number;
                    };
                    /** @description Labels that the build worker must have, such as `gpu`. */
                    buildLabels?: string[];
                    /** @description Platforms that build workers build for, besides those of the machines that run it: `linux/amd64`. */
                    buildPlatforms?: string[];
                };
            };
        };
        responses: {
            /** @description It worked. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Project"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postProjectsEnsure: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @description Part of the generated address. Default: made from the name. */
                    slug?: string;
                    source?: components["schemas"]["ProjectSource"];
                    /** @description Number of previous releases to keep for rollbacks. */
                    rollbackWindow?: number;
                    /** @description Deploy pushes automatically. */
                    autoDeploy?: boolean;
                    /** @description Ask for approval before each release. */
                    requireApproval?: boolean;
                    /** @description Allow access beyond its containers, such as host networking. Only the instance owner can set it. */
                    trusted?: boolean;
                    /** @description Server that it is deployed to; null: the machine that runs Mooring. Cannot change while a release is active. */
                    serverId?: string | null;
                    rootDirectory?: string | null;
                    /** @description Null: as detected. Empty: no command. */
                    installCommand?: string | null;
                    /** @description Null: as detected. Empty: no command. */
                    buildCommand?: string | null;
                    /** @description Null: as detected. Empty: no command. */
                    startCommand?: string | null;
                    /** @description Command that runs once before each release. Null: as detected. Empty: no command. */
                    releaseCommand?: string | null;
                    outputDirectory?: string | null;
                    framework?: string | null;
                    packageManager?: string | null;
                    nodeVersion?: string | null;
                    port?: number | null;
                    resources?: {
                        memoryMb?: number;
                        cpus?: number;
                        /** @description Containers only: make everything except `/tmp`, `/var/tmp`, `/run` and volumes read-only. Default: off. */
                        readOnly?: boolean;
                    };
                    healthCheck?: {
                        path?: string;
                        timeoutSeconds?: number;
                        /** @enum {string} */
                        type?: "http" | "tcp";
                    };
                    publicEndpoints?: components["schemas"]["PublicEndpoint"][];
                    /** @description Number of replicas of an app. */
                    replicas?: number;
                    /** @description Number of replicas of compose services by name; default: as in the compose file. */
                    scale?: {
                        [key: string]: number;
                    };
                    /** @description Labels that the build worker must have, such as `gpu`. */
                    buildLabels?: string[];
                    /** @description Platforms that build workers build for, besides those of the machines that run it: `linux/amd64`. */
                    buildPlatforms?: string[];
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        project_id: string;
                        created: boolean;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getProjectsNewAddress: {
        parameters: {
            query: {
                name: string;
                /** @description Server that the project would be deployed to. */
                serverId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            slug: string;
                            url: string;
                            /** @description Slug made from the name. */
                            wanted: string;
                            /** @description Why `slug` differs from `wanted`; null when it does not. */
                            reason: ("reserved" | "taken") | null;
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getProjectsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Project"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    deleteProjectsById: {
        parameters: {
            query?: {
                /** @description `true`: also delete its volumes. This cannot be undone. */
                volumes?: "true" | "false";
                /** @description `true`: give up what is in the cloud or on a server that does not respond, for machines that are gone for good. */
                abandon?: "true" | "false";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    patchProjectsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    name?: string;
                    /** @description Part of the generated address. Default: made from the name. */
                    slug?: string;
                    source?: components["schemas"]["ProjectSource"];
                    /** @description Number of previous releases to keep for rollbacks. */
                    rollbackWindow?: number;
                    /** @description Deploy pushes automatically. */
                    autoDeploy?: boolean;
                    /** @description Ask for approval before each release. */
                    requireApproval?: boolean;
                    /** @description Allow access beyond its containers, such as host networking. Only the instance owner can set it. */
                    trusted?: boolean;
                    /** @description Server that it is deployed to; null: the machine that runs Mooring. Cannot change while a release is active. */
                    serverId?: string | null;
                    rootDirectory?: string | null;
                    /** @description Null: as detected. Empty: no command. */
                    installCommand?: string | null;
                    /** @description Null: as detected. Empty: no command. */
                    buildCommand?: string | null;
                    /** @description Null: as detected. Empty: no command. */
                    startCommand?: string | null;
                    /** @description Command that runs once before each release. Null: as detected. Empty: no command. */
                    releaseCommand?: string | null;
                    outputDirectory?: string | null;
                    framework?: string | null;
                    packageManager?: string | null;
                    nodeVersion?: string | null;
                    port?: number | null;
                    resources?: {
                        memoryMb?: number;
                        cpus?: number;
                        /** @description Containers only: make everything except `/tmp`, `/var/tmp`, `/run` and volumes read-only. Default: off. */
                        readOnly?: boolean;
                    };
                    healthCheck?: {
                        path?: string;
                        timeoutSeconds?: number;
                        /** @enum {string} */
                        type?: "http" | "tcp";
                    };
                    publicEndpoints?: components["schemas"]["PublicEndpoint"][];
                    /** @description Number of replicas of an app. */
                    replicas?: number;
                    /** @description Number of replicas of compose services by name; default: as in the compose file. */
                    scale?: {
                        [key: string]: number;
                    };
                    /** @description Labels that the build worker must have, such as `gpu`. */
                    buildLabels?: string[];
                    /** @description Platforms that build workers build for, besides those of the machines that run it: `linux/amd64`. */
                    buildPlatforms?: string[];
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Project"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getProjectsByIdLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["ProjectLink"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postProjectsByIdLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    owner: string;
                    repo: string;
                    /** @description The default branch of the repository if omitted. */
                    branch?: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["ProjectLink"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    deleteProjectsByIdLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getProjectsByIdVariables: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Variable"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    patchProjectsByIdVariables: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Variables by name: a string or object sets one, null removes it; variables that are not named are kept. */
                    variables: {
                        [key: string]: string | null | {
                            value?: string;
                            secret?: boolean;
                            buildTime?: boolean;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Variable"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getProjectsByIdDeployKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["DeployKey"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postProjectsByIdDeployKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["DeployKey"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    deleteProjectsByIdDeployKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getRegistries: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Registry"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postRegistries: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description `docker.io` for Docker Hub. */
                    address: string;
                    username: string;
                    /** @description Password or access token. Never shown again. */
                    password: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Registry"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getRegistriesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Registry"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    deleteRegistriesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    patchRegistriesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    username?: string;
                    /** @description Password or access token. Never shown again. */
                    password?: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Registry"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postProjectsFolderSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Default target of the deployment.
                     * @default local
                     * @enum {string}
                     */
                    mode?: "local" | "server" | "cloud";
                    /** @description With `server`: which one. */
                    serverId?: string;
                    /** @description Project that can deploy it. */
                    projectId?: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadSession"];
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    putProjectsFolderUploadById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Upload"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postProjectsFolderScan: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    sessionId: string;
                    /** @description Folder of the app in the source. */
                    rootDirectory?: string;
                    /**
                     * @description Detect the services of the compose file, also if the source would be deployed as an app.
                     * @constant
                     */
                    deploys?: "compose";
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Detection"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getAcmeChallengeByToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getProjectsByIdDomains: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Domain"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postProjectsByIdDomains: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @default production */
                    environment?: string;
                    /**
                     * @description Service that gets the requests; null: the one behind the address of the project.
                     * @default null
                     */
                    service?: string | null;
                    /**
                     * @description Serve only requests below this path.
                     * @default /
                     */
                    path?: string;
                    /**
                     * @description Another domain of the project, or `https://` and a host. Requests are redirected there with path and query.
                     * @default null
                     */
                    redirectTo?: string | null;
                    /** @description The primary domain of its environment: the address that is shown. */
                    isPrimary?: boolean;
                    /**
                     * @description `redirect`: HTTP requests are redirected to HTTPS once there is a certificate.
                     * @default redirect
                     * @enum {string}
                     */
                    https?: "redirect" | "optional";
                    /**
                     * @description max-age of the HSTS header in seconds; null: no header.
                     * @default null
                     */
                    hstsSeconds?: number | null;
                };
            };
        };
        responses: {
            /** @description It worked. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Domain"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    deleteProjectsByIdDomainsByName: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    patchProjectsByIdDomainsByName: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Service that gets the requests; null: the one behind the address of the project. */
                    service?: string | null;
                    /** @description Serve only requests below this path. */
                    path?: string;
                    /** @description Another domain of the project, or `https://` and a host. Requests are redirected there with path and query. */
                    redirectTo?: string | null;
                    /** @description The primary domain of its environment: the address that is shown. */
                    isPrimary?: boolean;
                    /**
                     * @description `redirect`: HTTP requests are redirected to HTTPS once there is a certificate.
                     * @enum {string}
                     */
                    https?: "redirect" | "optional";
                    /** @description max-age of the HSTS header in seconds; null: no header. */
                    hstsSeconds?: number | null;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Domain"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postProjectsByIdDomainsByNameCheck: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Domain"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postDeploymentsSslStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Domain name without scheme and port. */
                    domain: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["SslStatus"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postDeploymentsSslRenew: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Domain name without scheme and port. */
                    domain: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Certificate"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    putProjectsByIdDomainsByNameCertificate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description PEM: the certificate of the domain first, then the intermediates. */
                    certificate: string;
                    /** @description PEM, without a passphrase. Never shown again. */
                    privateKey: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            domain: string;
                            /**
                             * @description Whether it was issued by the certificate authority or uploaded.
                             * @enum {string}
                             */
                            source: "acme" | "uploaded";
                            issuer: string;
                            subjectNames: string[];
                            /** Format: date-time */
                            validFrom: string;
                            /** Format: date-time */
                            validTo: string;
                            daysLeft: number;
                            /** @description When Mooring renews it; null for an uploaded certificate. */
                            renewsAt: string | null;
                            /** @description SHA-256, lower-case hex. */
                            fingerprint: string;
                            /** Format: date-time */
                            createdAt: string;
                            /** @description Reasons why some clients may not trust it. */
                            warnings: string[];
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    deleteProjectsByIdDomainsByNameCertificate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getProjectsByIdTraffic: {
        parameters: {
            query?: {
                window?: "1h" | "6h" | "24h" | "7d" | "30d";
                environment?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Traffic"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getBackupDestinations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["BackupDestination"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postBackupDestinations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BackupDestinationBody"];
            };
        };
        responses: {
            /** @description It worked. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["BackupDestination"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getBackupDestinationsKinds: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["BackupDestinationKind"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postBackupDestinationsPreflight: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @description Prefix of all object names. */
                    pathPrefix?: string | null;
                    isDefault?: boolean;
                    kind: string;
                    /** @description The name of an existing bucket. */
                    bucket?: string | null;
                    /** @description For example eu-central-1. Leave it empty to detect it. */
                    region?: string | null;
                    /** @description S3-compatible bucket: For example https://s3.example.com. Leave it empty for Amazon S3. Folder on this machine: Absolute path inside BACKUP_LOCAL_ROOT, the folder that this instance allows for backups. */
                    endpoint?: string | null;
                    /** @description The key must be allowed to list, read, write and delete objects in the bucket. Never shown again. */
                    accessKeyId?: string | null;
                    /** @description The secret of that access key. Never shown again. */
                    secretAccessKey?: string | null;
                    /** @description Host name or IP address. */
                    sshHost?: string | null;
                    /** @description Defaults to 22. */
                    sshPort?: (number | string) | null;
                    /** @description The user to sign in as. */
                    sshUser?: string | null;
                    /** @description Needed unless you give a private key. Never shown again. */
                    sftpPassword?: string | null;
                    /** @description In OpenSSH or PEM format. Needed unless you give a password. Never shown again. */
                    sftpPrivateKey?: string | null;
                    /** @description Passphrase of the private key, if it has one. Never shown again. */
                    sftpKeyPassphrase?: string | null;
                    /** @description Archives are stored there over the connection that deployments use. */
                    serverId?: string | null;
                    id?: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preflight"];
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getBackupDestinationsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["BackupDestination"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    deleteBackupDestinationsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    patchBackupDestinationsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    name?: string;
                    /** @description Prefix of all object names. */
                    pathPrefix?: string | null;
                    isDefault?: boolean;
                    kind?: string;
                    /** @description The name of an existing bucket. */
                    bucket?: string | null;
                    /** @description For example eu-central-1. Leave it empty to detect it. */
                    region?: string | null;
                    /** @description S3-compatible bucket: For example https://s3.example.com. Leave it empty for Amazon S3. Folder on this machine: Absolute path inside BACKUP_LOCAL_ROOT, the folder that this instance allows for backups. */
                    endpoint?: string | null;
                    /** @description The key must be allowed to list, read, write and delete objects in the bucket. Never shown again. */
                    accessKeyId?: string | null;
                    /** @description The secret of that access key. Never shown again. */
                    secretAccessKey?: string | null;
                    /** @description Host name or IP address. */
                    sshHost?: string | null;
                    /** @description Defaults to 22. */
                    sshPort?: (number | string) | null;
                    /** @description The user to sign in as. */
                    sshUser?: string | null;
                    /** @description Needed unless you give a private key. Never shown again. */
                    sftpPassword?: string | null;
                    /** @description In OpenSSH or PEM format. Needed unless you give a password. Never shown again. */
                    sftpPrivateKey?: string | null;
                    /** @description Passphrase of the private key, if it has one. Never shown again. */
                    sftpKeyPassphrase?: string | null;
                    /** @description Archives are stored there over the connection that deployments use. */
                    serverId?: string | null;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["BackupDestination"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postBackupDestinationsByIdPreflight: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preflight"];
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getBackupPolicies: {
        parameters: {
            query?: {
                projectId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["BackupPolicy"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postBackupPolicies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BackupPolicyBody"];
            };
        };
        responses: {
            /** @description It worked. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["BackupPolicy"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getBackupPoliciesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["BackupPolicy"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    deleteBackupPoliciesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    patchBackupPoliciesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    name?: string;
                    enabled?: boolean;
                    sources?: "all" | components["schemas"]["BackupSource"][];
                    /** @description Cron expression of five fields. */
                    schedule?: string;
                    timezone?: string;
                    destinationIds?: string[];
                    /** @description Backups to keep: the last ones, and the newest of each day, week and month. */
                    retention?: {
                        /** @default 0 */
                        last?: number;
                        /** @default 0 */
                        daily?: number;
                        /** @default 0 */
                        weekly?: number;
                        /** @default 0 */
                        monthly?: number;
                    };
                    encryption?: {
                        /** @default true */
                        enabled?: boolean;
                        /** @description Further age keys that can decrypt the archives. */
                        recipients?: string[];
                    };
                    /** @description Commands around each backup. */
                    hooks?: {
                        /** @description Command that runs in the service before the backup. */
                        before?: string;
                        /** @description Command that runs after it, also after a failure. */
                        after?: string;
                        /** @description Service of the compose file; `app` for an app. */
                        service?: string;
                    };
                    /** @description Scheduled restores into a scratch place, which prove that the backups work. */
                    drill?: {
                        schedule: string;
                        /** @description Read-only query whose result is recorded. Counts all rows if left out. */
                        query?: string;
                    } | null;
                    /** @enum {string} */
                    consistency?: "check" | "pause";
                    bandwidthLimit?: number | null;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["BackupPolicy"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postBackupPoliciesByIdRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Backup"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postBackupPoliciesByIdDrill: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Restore"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getProjectsByIdBackupSources: {
        parameters: {
            query?: {
                environment?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["FoundBackupSource"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getBackupKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["BackupKey"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postBackupKeysExport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            identities: string;
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postBackupKeysImport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description An exported identity file. */
                    identities: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            imported: number;
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postBackupKeysRotate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["BackupKey"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getBackups: {
        parameters: {
            query?: {
                /** @description Page size, 1 to 100. */
                limit?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: string;
                projectId?: string;
                policyId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Backup"][];
                        nextCursor: string | null;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getBackupsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Backup"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    deleteBackupsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getBackupsByIdStream: {
        parameters: {
            query?: {
                since?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of server-sent events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postBackupsByIdCancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Backup"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postBackupsByIdPin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default true */
                    pinned?: boolean;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Backup"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getBackupsByIdArchivesByArchiveIdDownload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                archiveId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getBackupsByIdArchivesByArchiveIdFile: {
        parameters: {
            query: {
                /** @description Path in the volume, such as images/logo.png. */
                path: string;
            };
            header?: never;
            path: {
                id: string;
                archiveId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postBackupsByIdArchivesByArchiveIdLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                archiveId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description One file of a volume. */
                    path?: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            url: string;
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getBackupDownloads: {
        parameters: {
            query: {
                ticket: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postBackupsImport: {
        parameters: {
            query: {
                projectId: string;
                environment?: string;
                destinationId: string;
                encrypted?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Backup"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postBackupsByIdRestore: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RestoreBody"];
            };
        };
        responses: {
            /** @description It worked. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Restore"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getRestores: {
        parameters: {
            query?: {
                /** @description Page size, 1 to 100. */
                limit?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: string;
                projectId?: string;
                policyId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Restore"][];
                        nextCursor: string | null;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getRestoresById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Restore"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getRestoresByIdStream: {
        parameters: {
            query?: {
                since?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of server-sent events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postRestoresByIdCancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Restore"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postRestoresByIdUndo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Restore"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getDeployments: {
        parameters: {
            query?: {
                /** @description Page size, 1 to 100. */
                limit?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: string;
                projectId?: string;
                status?: "queued" | "building" | "deploying" | "ready" | "failed" | "cancelled" | "partial_failure" | "rejected";
                /** @description `true`: only the newest deployment of each project, in `environment` if that is given. */
                latest?: "true" | "false";
                /** @description `true`: only releases that serve requests. */
                active?: "true" | "false";
                environment?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Deployment"][];
                        nextCursor: string | null;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postDeployments: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    projectId: string;
                    branch?: string;
                    commitSha?: string;
                    /** @default production */
                    environment?: string;
                    /**
                     * @description `false`: stay queued until `POST /api/deployments/:id/build`.
                     * @default true
                     */
                    autoStart?: boolean;
                };
            };
        };
        responses: {
            /** @description It worked. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Deployment"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postDeploymentsBuildAccess: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    projectId: string;
                    branch?: string;
                    commitSha?: string;
                    /** @default production */
                    environment?: string;
                    /**
                     * @description `false`: stay queued until `POST /api/deployments/:id/build`.
                     * @default true
                     */
                    autoStart?: boolean;
                    uploadSessionId?: string;
                    /**
                     * @description Where to build: on the server that it runs on (`server`), or on the machine that runs Mooring (`local`).
                     * @enum {string}
                     */
                    buildStrategy?: "server" | "local";
                    /** @enum {string} */
                    deployTarget?: "local" | "server" | "cloud";
                    serverId?: string;
                    publicEndpoints?: components["schemas"]["PublicEndpoint"][];
                    /** @description Services to deploy instead of those of the source. See docs/reference/compose.md. */
                    services?: ({
                        name: string;
                        image?: string | null;
                        build?: (string | {
                            [key: string]: unknown;
                        }) | null;
                        dockerfile?: string | null;
                        ports?: unknown[] | null;
                        dependsOn?: (string[] | {
                            [key: string]: unknown;
                        }) | null;
                        environment?: (string[] | {
                            [key: string]: unknown;
                        }) | null;
                        volumes?: unknown[] | null;
                        rootDirectory?: string | null;
                        installCommand?: string | null;
                        buildCommand?: string | null;
                        startCommand?: string | null;
                        outputDirectory?: string | null;
                        framework?: string | null;
                        packageManager?: string | null;
                        port?: number | null;
                    } & {
                        [key: string]: unknown;
                    })[];
                    /**
                     * @description Extra variables for this deployment; they are secret.
                     * @default {}
                     */
                    envVars?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        deployment_id: string;
                        project_id: string;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postDeploymentsPlan: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    projectId: string;
                    branch?: string;
                    commitSha?: string;
                    /** @default production */
                    environment?: string;
                    /**
                     * @description `false`: stay queued until `POST /api/deployments/:id/build`.
                     * @default true
                     */
                    autoStart?: boolean;
                    uploadSessionId?: string;
                    /**
                     * @description Where to build: on the server that it runs on (`server`), or on the machine that runs Mooring (`local`).
                     * @enum {string}
                     */
                    buildStrategy?: "server" | "local";
                    /** @enum {string} */
                    deployTarget?: "local" | "server" | "cloud";
                    serverId?: string;
                    publicEndpoints?: components["schemas"]["PublicEndpoint"][];
                    /** @description Services to deploy instead of those of the source. See docs/reference/compose.md. */
                    services?: ({
                        name: string;
                        image?: string | null;
                        build?: (string | {
                            [key: string]: unknown;
                        }) | null;
                        dockerfile?: string | null;
                        ports?: unknown[] | null;
                        dependsOn?: (string[] | {
                            [key: string]: unknown;
                        }) | null;
                        environment?: (string[] | {
                            [key: string]: unknown;
                        }) | null;
                        volumes?: unknown[] | null;
                        rootDirectory?: string | null;
                        installCommand?: string | null;
                        buildCommand?: string | null;
                        startCommand?: string | null;
                        outputDirectory?: string | null;
                        framework?: string | null;
                        packageManager?: string | null;
                        port?: number | null;
                    } & {
                        [key: string]: unknown;
                    })[];
                    /**
                     * @description Extra variables for this deployment; they are secret.
                     * @default {}
                     */
                    envVars?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Plan"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postDeploymentsPrepare: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    source: "githost" | "local";
                    owner?: string;
                    repo?: string;
                    /** @description Any git repository, instead of `owner` and `repo`. */
                    url?: string;
                    branch?: string;
                    /** @description For `local`. */
                    path?: string;
                    /** @description Folder of the app in the source. */
                    rootDirectory?: string;
                    /**
                     * @description Detect the services of the compose file, also if the source would be deployed as an app.
                     * @constant
                     */
                    deploys?: "compose";
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Detection"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getDeploymentsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Deployment"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    deleteDeploymentsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getDeploymentsByIdLogs: {
        parameters: {
            query?: {
                kind?: "build" | "runtime";
                tail?: number;
                since?: string;
                service?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["LogLine"][];
                        nextCursor: string | null;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getDeploymentsByIdStream: {
        parameters: {
            query?: {
                since?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of server-sent events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getDeploymentsByIdBuild: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["BuildState"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postDeploymentsByIdBuild: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        deployment_id: string;
                        project_id: string;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of server-sent events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postDeploymentsByIdBuildRespond: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    promptId?: string;
                    response: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Deployment"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postDeploymentsByIdRedeploy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Deploy the same commit again instead of the latest one of its branch.
                     * @default false
                     */
                    useExistingCommit?: boolean;
                    /**
                     * @description Start the artifact of the active release with the current settings and variables. Builds only if one of them requires it; `buildReasons` says which.
                     * @default false
                     */
                    reuseArtifact?: boolean;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        deployment_id: string;
                        project_id: string;
                        /** @description With `reuseArtifact`: the changes that need a build. Empty when the artifact is started again. */
                        buildReasons?: string[];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postDeploymentsByIdRollback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        deployment_id: string;
                        project_id: string;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postDeploymentsByIdCancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Deployment"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postDeploymentsByIdPin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default true */
                    pinned?: boolean;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Deployment"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postDeploymentsByIdKeep: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Deployment"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postDeploymentsByIdReject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Deployment"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postDeploymentsByIdRestart: {
        parameters: {
            query?: {
                /** @description Name of a service; default: all services. */
                service?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Deployment"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getDeploymentsByIdInfo: {
        parameters: {
            query?: {
                /** @description Name of a service; default: all services. */
                service?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            containers: {
                                id: string;
                                service: string;
                                /** @description Number of the replica, starting at 1. */
                                replica: number;
                                runtime: string;
                                state: string;
                                /** @description Whether it runs, is healthy and, if its service is public, gets requests from the edge. */
                                ready: boolean;
                                /** @description Result of its health check, if it has one. */
                                health: string | null;
                                image: string | null;
                                host: string;
                                port: number;
                                startedAt: string | null;
                                restarts: number;
                                exitCode: number | null;
                                notices: string[];
                                /** @description Addresses at which its service is public. */
                                urls: string[];
                            }[];
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getDeploymentsByIdUsage: {
        parameters: {
            query?: {
                /** @description Name of a service; default: all services. */
                service?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            cpuPercent: number;
                            memoryBytes: number;
                            memoryLimitBytes: number | null;
                            networkRxBytes: number;
                            networkTxBytes: number;
                            containers: {
                                service: string;
                                replica: number;
                                cpuPercent: number;
                                memoryBytes: number;
                                memoryLimitBytes: number | null;
                                networkRxBytes: number;
                                networkTxBytes: number;
                            }[];
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getWorkers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Worker"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getProjectsByIdVolumes: {
        parameters: {
            query?: {
                /** @description List data that no release mounts any more. */
                orphans?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Volume"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postProjectsByIdVolumes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @description Mount path: relative to the folder of the app, or absolute in a container. */
                    path: string;
                    /** @description Service that mounts it; required if there are several. */
                    service?: string;
                    /** @default production */
                    environment?: string;
                    /**
                     * @description Two releases may write to it at once, so deployments do not stop the previous release first.
                     * @default false
                     */
                    overlap?: boolean;
                    /** @description `id` of a volume from `?orphans=true`, whose data the new volume uses. */
                    from?: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Volume"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    deleteProjectsByIdVolumesByName: {
        parameters: {
            query?: {
                environment?: string;
                data?: "keep" | "delete";
            };
            header?: never;
            path: {
                id: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    patchProjectsByIdVolumesByName: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Mount path: relative to the folder of the app, or absolute in a container. */
                    path?: string;
                    /** @description Two releases may write to it at once, so deployments do not stop the previous release first. */
                    overlap?: boolean;
                    /** @default production */
                    environment?: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Volume"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getProjectsByIdVolumesByNameFiles: {
        parameters: {
            query?: {
                environment?: string;
                path?: string;
            };
            header?: never;
            path: {
                id: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["VolumeEntry"][];
                        /** @description The list is incomplete: there are more files. */
                        truncated: boolean;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getProjectsByIdVolumesByNameFile: {
        parameters: {
            query: {
                environment?: string;
                path: string;
            };
            header?: never;
            path: {
                id: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postProjectsByIdScale: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Name of the service; required if there are several. */
                    service?: string;
                    replicas: number;
                    /** @default production */
                    environment?: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Scaled"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postMigrationScan: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    serverId: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        stack: components["schemas"]["Stack"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postMigrationAdopt: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    serverId: string;
                    projectName: string;
                    /** @description Names from the scan: `group/service`, the service name alone if it is unique, or the name of a group for all services in it that can be adopted. */
                    serviceNames: string[];
                    /** @description Also adopt services with access to the machine. Only for the instance owner; the project becomes trusted. */
                    trusted?: boolean;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        project_id: string;
                        project: components["schemas"]["Project"];
                        adopted: string[];
                        /** @description Differences from the original containers. */
                        warnings: string[];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getMigrationByProjectId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Adoption"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postMigrationByProjectIdUndo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        project_id: string;
                        /** @description Containers that run again as before. */
                        restored: string[];
                        /** @description Warnings about the result. */
                        warnings: string[];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postMigrationByProjectIdConfirm: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Also delete files that the originals wrote outside volumes.
                     * @default false
                     */
                    force?: boolean;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        project_id: string;
                        /** @description Containers that were removed. Their volumes are kept. */
                        removed: string[];
                        /** @description Warnings about the result. */
                        warnings: string[];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getCloudLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["CloudLink"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postCloudLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Address of the cloud. */
                    url: string;
                    /** @description Your access token in the cloud. It is encrypted and never shown. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["CloudLink"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    deleteCloudLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postProjectsByIdBringHome: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description `false`: do not deploy yet.
                     * @default true
                     */
                    deploy?: boolean;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        deployment_id: string | null;
                        project_id: string;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    deleteProjectsByIdCloud: {
        parameters: {
            query?: {
                /** @description `true`: also delete its volumes there. This cannot be undone. */
                volumes?: "true" | "false";
                /** @description `true`: give up the copy in the cloud, for a cloud that is gone for good. */
                abandon?: "true" | "false";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    putCloudProjectsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Idempotency key: repeating the call does not deploy again. */
                    key: string;
                    project: {
                        name: string;
                        /** @description Part of the generated address. Default: made from the name. */
                        slug?: string;
                        source?: components["schemas"]["ProjectSource"];
                        /** @description Number of previous releases to keep for rollbacks. */
                        rollbackWindow?: number;
                        /** @description Deploy pushes automatically. */
                        autoDeploy?: boolean;
                        /** @description Ask for approval before each release. */
                        requireApproval?: boolean;
                        rootDirectory?: string | null;
                        /** @description Null: as detected. Empty: no command. */
                        installCommand?: string | null;
                        /** @description Null: as detected. Empty: no command. */
                        buildCommand?: string | null;
                        /** @description Null: as detected. Empty: no command. */
                        startCommand?: string | null;
                        /** @description Command that runs once before each release. Null: as detected. Empty: no command. */
                        releaseCommand?: string | null;
                        outputDirectory?: string | null;
                        framework?: string | null;
                        packageManager?: string | null;
                        nodeVersion?: string | null;
                        port?: number | null;
                        resources?: {
                            memoryMb?: number;
                            cpus?: number;
                            /** @description Containers only: make everything except `/tmp`, `/var/tmp`, `/run` and volumes read-only. Default: off. */
                            readOnly?: boolean;
                        };
                        healthCheck?: {
                            path?: string;
                            timeoutSeconds?: number;
                            /** @enum {string} */
                            type?: "http" | "tcp";
                        };
                        publicEndpoints?: components["schemas"]["PublicEndpoint"][];
                        /** @description Number of replicas of an app. */
                        replicas?: number;
                        /** @description Number of replicas of compose services by name; default: as in the compose file. */
                        scale?: {
                            [key: string]: number;
                        };
                        /** @description Labels that the build worker must have, such as `gpu`. */
                        buildLabels?: string[];
                        /** @description Platforms that build workers build for, besides those of the machines that run it: `linux/amd64`. */
                        buildPlatforms?: string[];
                    };
                    /** @description The complete set: variables that are missing here are removed. */
                    variables: {
                        [key: string]: string | null | {
                            value?: string;
                            secret?: boolean;
                            buildTime?: boolean;
                        };
                    };
                    /** @description Deploy key of the project. */
                    deployKey: {
                        publicKey: string;
                        privateKey: string;
                    } | null;
                    deployment: {
                        branch?: string;
                        commitSha?: string;
                        /** @default production */
                        environment?: string;
                        /**
                         * @description `false`: stay queued until `POST /api/deployments/:id/build`.
                         * @default true
                         */
                        autoStart?: boolean;
                        publicEndpoints?: components["schemas"]["PublicEndpoint"][];
                        /** @description Services to deploy instead of those of the source. See docs/reference/compose.md. */
                        services?: ({
                            name: string;
                            image?: string | null;
                            build?: (string | {
                                [key: string]: unknown;
                            }) | null;
                            dockerfile?: string | null;
                            ports?: unknown[] | null;
                            dependsOn?: (string[] | {
                                [key: string]: unknown;
                            }) | null;
                            environment?: (string[] | {
                                [key: string]: unknown;
                            }) | null;
                            volumes?: unknown[] | null;
                            rootDirectory?: string | null;
                            installCommand?: string | null;
                            buildCommand?: string | null;
                            startCommand?: string | null;
                            outputDirectory?: string | null;
                            framework?: string | null;
                            packageManager?: string | null;
                            port?: number | null;
                        } & {
                            [key: string]: unknown;
                        })[];
                        /**
                         * @description Extra variables for this deployment; they are secret.
                         * @default {}
                         */
                        envVars?: {
                            [key: string]: string;
                        };
                        /** @description Deploys the services of the active release again, as `POST /api/deployments` does. */
                        keepsServices?: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            project: components["schemas"]["Project"];
                            deployment: components["schemas"]["Deployment"];
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postCloudGithostConnect: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description `app` installs the app first; `oauth` only shows where it is installed already.
                     * @enum {string}
                     */
                    source: "app" | "oauth";
                    /** @description Address that the browser returns to. */
                    returnUrl: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uri */
                        url: string;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getCloudGithostInstallations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /** @description Address of the git host. */
                            host: string;
                            installUrl: string | null;
                            installations: {
                                id: number;
                                account: {
                                    id: number;
                                    login: string;
                                    /** @enum {string} */
                                    type: "user" | "organization";
                                };
                                suspendedAt: string | null;
                            }[];
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postCloudGithostInstallationsByIdToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Names without the owner. Default: all repositories that the app can access. */
                    repositories?: string[];
                    /** @description Anything above `read`, and leaving it out, needs `githost:admin`. */
                    permissions?: {
                        [key: string]: "read" | "write" | "admin";
                    };
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            token: string;
                            /** Format: date-time */
                            expiresAt: string;
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getCloudGithostDeliveries: {
        parameters: {
            query?: {
                /** @description `next` of the previous response. Without it, only new deliveries. */
                after?: string;
                /** @description How many seconds to wait for a delivery. */
                wait?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /** @description Delivery id of the git host. */
                            id: string;
                            /** @description SHA-256 of the body. */
                            digest: string;
                            /** @description `push`, `installation` or `repositories`, by its `type`. */
                            event: {
                                [key: string]: unknown;
                            };
                            /** Format: date-time */
                            receivedAt: string;
                        }[];
                        next: string;
                        /** @description Earlier deliveries are gone: check all repositories yourself. */
                        missed: boolean;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getOrganizationsCurrentLimits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["OrganizationLimits"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
}
