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
         * Whether the service answers
         * @description Public.
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
         * Version and mode of the instance, and whether it runs containers
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
    "/api/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This API as an OpenAPI 3.1 document
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
         * This API as a page to read
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
    "/api/auth/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the instance still needs its owner
         * @description Public.
         */
        get: operations["getAuthSetup"];
        put?: never;
        /**
         * Create the owner of the instance
         * @description Works once, with the code of the one-time link. Signs the owner in.
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
         * @description Sets the session cookie, and answers with the `sessionProof` that each request by this cookie sends as `X-Session-Proof`. After ten failures the address has to wait (429, `Retry-After`).
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
         * End the session
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
         * Who is calling, where, and what they may do
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
         * Make a link with which a member sets a new password
         * @description For owners. Nothing is sent: hand over the `url`. It is good for a day and one use.
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
         * Set a new password by a reset link
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
         * @description A token sees the organization that it is bound to.
         *
         *     Permission: `organization:list`.
         */
        get: operations["getOrganizations"];
        put?: never;
        /**
         * Create an organization and become its owner
         * @description Needs `organization:write` in the organization that the call acts in; the owner of the instance needs none, and in a cloud nobody else may.
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
         * Remove a member and its tokens from the organization
         * @description Permission: `member:admin`.
         */
        delete: operations["deleteMembersById"];
        options?: never;
        head?: never;
        /**
         * Change a member's role
         * @description Only owners make or change owners. The last owner stays one (409).
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
         * Replace what a restricted member may do
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
         * @description Names the organization that the call acts in, so that nobody leaves another one by mistake. Your tokens of it end. The last owner cannot leave (409).
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
         * @description Nothing is sent: hand over the `url`. It is good for seven days and one use.
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
         * What an invitation says
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
         * Make an access token
         * @description The answer is the only place that ever shows it. It never has more permissions than you.
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
         * List what was changed, by whom and from where
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
         * @description Nobody is dialled: test it afterwards. It needs a password, a private key, or `generateKey`.
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
         * @description The edge there ends, and its container, volume and image are removed; nothing else is changed on the machine. One that cannot be reached is forgotten all the same, and `message` says what may be left there. One that projects or a backup destination are on stays (409).
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
         * @description Signs in and looks around, changing nothing. 200 also for a server that cannot be reached.
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
    "/api/githost/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the git host is connected
         * @description 200 also when it is not, or does not answer.
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
         * The connected accounts with their repositories
         * @description 200 also when nothing is connected; then the lists are empty.
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
         * Whether the sign-in of the git host’s own program can be used
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
         * @description `source` in the body or in the query. What is stored is dropped, and ended at the git host as far as that is possible. The app is not uninstalled; `all` also forgets where it is installed, until somebody connects again.
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
         * @description What to do next depends on what is set up; `flow` says what it is. See docs/githost.md.
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
         * How it stands with a sign-in by a code
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
         * Where the git host sends a browser back to
         * @description A page for a person. The browser needs no session: its state is stored, and works once.
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
         * @description Those that the connections of the organization see and the caller may see, each once.
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
         * @description It is gone there, with everything in it.
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
         * @description Only where the app is installed for the owner; else 409. Mooring ends it before the hour is over.
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
         * Have the pushes to a repository announced
         * @description Registers the webhook (201), or brings the one that is there up to date (200).
         *
         *     Permission: `githost:write`.
         */
        post: operations["postGithostReposByOwnerByRepoWebhooks"];
        /**
         * Delete a webhook of a repository
         * @description The one of this instance stays at the host while another organization here uses it.
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
         * Where the git host announces pushes
         * @description Needs a signature of the body by the secret of the webhook. What it asks for is done afterwards.
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
         * What the git host has announced, newest first
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
         * Handle an announcement once more
         * @description A commit that was deployed already is not deployed again.
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
         * @description Safe to call again and from several places at once: there is one project of a name.
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
         * @description Stops what runs of it and removes its history, variables and uploads. Volumes stay, unless `volumes=true`; `GET /api/projects/:id/volumes` lists them.
         *
         *     Permission: `project:admin`.
         */
        delete: operations["deleteProjectsById"];
        options?: never;
        head?: never;
        /**
         * Change a project
         * @description What is not given stays; null brings back what is detected. It counts from the next deployment on.
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
         * The repository that a project follows
         * @description Permission: `project:read`.
         */
        get: operations["getProjectsByIdLink"];
        put?: never;
        /**
         * Have a project follow a repository of the git host
         * @description Sets the source of the project. What is pushed to the branch from now on is deployed by itself, unless `autoDeploy` is off; what is there already is not.
         *
         *     Permission: `project:write`.
         */
        post: operations["postProjectsByIdLink"];
        /**
         * Have a project follow no repository any more
         * @description What runs goes on. The project then takes uploads.
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
         * @description Values of secret ones are never shown.
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
         * @description They count from the next deployment on. `buildTime` ones are there while it is built, the others when it runs.
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
         * The public half of the key that a project reads its repository with
         * @description Permission: `project:read`.
         */
        get: operations["getProjectsByIdDeployKey"];
        put?: never;
        /**
         * Make a key for reading the repository of a project over ssh
         * @description The key before, if there was one, is no longer used. The private half is never shown.
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
         * List logins at image registries
         * @description Permission: `registry:list`.
         */
        get: operations["getRegistries"];
        put?: never;
        /**
         * Add a login at an image registry
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
         * Show a login at an image registry
         * @description Permission: `registry:read`.
         */
        get: operations["getRegistriesById"];
        put?: never;
        post?: never;
        /**
         * Remove a login at an image registry
         * @description Permission: `registry:admin`.
         */
        delete: operations["deleteRegistriesById"];
        options?: never;
        head?: never;
        /**
         * Change a login at an image registry
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
         * @description Send the folder as a gzipped tar to `upload.url` with `upload.headers`, within the hour and once.
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
         * @description The body is a gzipped tar of at most 300 MB. Needs the headers that the session gave.
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
         * What is in an uploaded folder, and how it would be built
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
         * What proves to a certificate authority that a name leads here
         * @description The edge asks here for whatever is asked under that path of any name.
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
         * @description It answers at once with what is deployed. One project has a name, in the whole instance: 409 for one that is taken. Where another organization has it, `message` names the TXT record that proves whose it is; with that record, it goes to the project.
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
         * Take a domain away from a project
         * @description Its certificate goes too. What is deployed keeps answering under its other names.
         *
         *     Permission: `project:write`.
         */
        delete: operations["deleteProjectsByIdDomainsByName"];
        options?: never;
        head?: never;
        /**
         * Change where a domain leads
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
         * Look whether a domain leads here
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
         * Look at the certificate of a domain
         * @description What we have for it, if it is a domain of yours, and what visitors get to see, whosever it is. Changes nothing.
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
         * Have a new certificate issued for a domain
         * @description Answers with the new certificate once visitors get it. Whoever asks while an order is under way gets what comes of that one. The certificate before serves until then.
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
         * @description It serves at once, instead of the one of the authority. It has to be for the name, to be valid, and to fit the key.
         *
         *     Permission: `project:write`.
         */
        put: operations["putProjectsByIdDomainsByNameCertificate"];
        post?: never;
        /**
         * Delete the uploaded certificate of a domain
         * @description The one of the authority serves again; if there is none, one is ordered.
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
         * How often a project was asked, and how it answered
         * @description As the edge has counted, up to some seconds ago.
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
         * @description Which fields are needed depends on the kind. Nobody is called; use preflight for that.
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
         * What kinds of destinations there are, and what each needs
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
         * Try a destination that is not stored
         * @description With the `id` of a stored one, omitted fields are taken from there. Stored credentials are used only for the stored address and user: with another sshHost, sshPort, sshUser or endpoint, send them again (400 otherwise).
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
         * @description What was stored there stays.
         *
         *     Permission: `backup_destination:admin`.
         */
        delete: operations["deleteBackupDestinationsById"];
        options?: never;
        head?: never;
        /**
         * Change a backup destination
         * @description An omitted credential keeps the stored value, null clears it, a string replaces it. When sshHost, sshPort, sshUser or endpoint changes, send every stored credential again or clear it (400 otherwise). The kind cannot change.
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
         * Try a backup destination
         * @description Writes, reads back, compares and deletes a small object. A failure is in the body: the status is 200.
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
         * @description From an upload session (`uploadSessionId`), from the source of the project, or from `services` alone; a project without a source is deployed again with those of before.
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
         * What a deployment would do to each service
         * @description Takes what `build/access` takes and deploys nothing.
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
         * @description One in progress is cancelled first; the active release is stopped with its routes.
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
         * Follow a deployment by server-sent events
         * @description Each event has a sequence number as its id. `since`, or `Last-Event-ID`, resumes after that one (after the later of both); after the end it is a 204.
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
         * Where the build stands, step by step
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
         * Follow the changes in an organization by server-sent events
         * @description `ready` comes first: from then on nothing is missed. `deployment` has the id, project, environment, status, decision and `lastSeq` of one that has changed. `change` names what somebody has changed, such as `domain`, and its project, if it has one. Nothing is kept for clients that are away: ask for what you show when you come back.
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
         * Answer the open question of a deployment
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
         * Make the release of this deployment the active one again
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
         * Protect a deployment from cleanup, or not any more
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
         * @description Only while the deployment waits for a decision (400 otherwise).
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
         * Roll the changed services back
         * @description Only while the deployment waits for a decision (400 otherwise).
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
         * Restart what runs
         * @description Containers that take longer to stop are restarted in the background; `GET /:id/info` shows them as `restarting` until they are back.
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
         * What runs of a deployment
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
         * CPU and memory of what runs
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
    "/api/projects/{id}/volumes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Volumes of a project
         * @description What its services keep. Deployments never remove them; deleting the project does if it is asked to.
         *
         *     Permission: `project:read`.
         */
        get: operations["getProjectsByIdVolumes"];
        put?: never;
        /**
         * Add a volume
         * @description The next deployment mounts it. A name that was removed before brings its data back.
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
         * @description The next deployment does not mount it. Its data stays unless `data=delete`; while a release uses it, it goes with that release.
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
         * @description Without a build. It goes on in the background; `GET /api/deployments/:id/info` shows the replicas. Deployments keep the number.
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
         * Look at what runs on a server
         * @description Compose stacks and containers that somebody runs there by hand, held against the compose files beside them. Nothing on the server changes. 502 with the reason in `message` where its engine cannot be asked.
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
         * Make a project of services on a server
         * @description Looks at the server again and takes only the names from the request. Named volumes are used in place. Nothing is deployed, and nothing on the server changes. 400 `not_trusted` for what reaches the machine, 409 for what a project has already.
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
         * What a project has taken over
         * @description The containers that ran its services before, and whether they run now.
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
         * Bring back what ran before a project took over
         * @description Ends what runs of the project on the server and starts the containers of before, as they were. May be repeated. 400 `not_allowed_now` when nothing was replaced, when it was confirmed, or while a deployment is under way. 502 with the reason when the server cannot be reached.
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
         * Remove what ran before a project took over
         * @description The containers that were stopped are removed, and their volumes stay. There is no way back from it. 400 `not_allowed_now` when nothing was replaced.
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
         * The cloud that the organization is linked to, and whether it answers
         * @description Permission: `organization:read`. Only on self-hosted instances.
         */
        get: operations["getCloudLink"];
        put?: never;
        /**
         * Link the organization to a hosted cloud
         * @description The cloud is asked first: a token that it does not take is not stored (400). It replaces the link of before.
         *
         *     Permission: `organization:admin`. Only on self-hosted instances.
         */
        post: operations["postCloudLink"];
        /**
         * Forget the link
         * @description Not while projects live there (409). The token stays valid in the cloud until it is revoked there.
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
         * Let a project that lives in the cloud live here again
         * @description Deploys it here, which needs `deployment:write` too. What runs in the cloud goes on serving until `DELETE /api/projects/:id/cloud`; it works also while the cloud is away.
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
         * Remove from the cloud what is left there of a project that was brought home
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
         * Take in a project of a linked instance and deploy it
         * @description It has the same id here. What was taken in before is changed to what is sent. Needs `deployment:write` too.
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
         * Where a browser connects the git host for a linked instance
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
         * Where the app is installed for the organization
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
         * A token of the app for an account where it is installed
         * @description An hour long at most. Without `githost:admin` it reads contents, and nothing more.
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
         * What the git host has announced to the app, for the organization
         * @description Waits for something to come. Kept are three days, at most 2000.
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
         * What the organization may have of this cloud, and what it has
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
            /** @description A sentence for a person. */
            error: string;
            /** @description A word for programs. */
            code: string;
            message?: string;
            details?: {
                field: string;
                message: string;
            }[];
        };
        User: {
            id: string;
            email: string;
            name: string;
            isInstanceOwner: boolean;
        };
        Me: {
            user: components["schemas"]["User"];
            /** @description Where this request acts; null for somebody who belongs nowhere. */
            organization: {
                id: string;
                name: string;
                memberId: string;
                role: string;
                permissions: string[];
                /** @description What a restricted member may do to single resources; without effect for other roles. */
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
            /** @description The token that the call was made with. */
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
            /** @description What a restricted member may do; without effect for other roles. */
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
            /** @description Shown this once. */
            token: string;
            /** @description The page to accept on. Hand it to the person. */
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
            /** @description Shown this once. */
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
            /** @description Of the private key: the line for `authorized_keys`. */
            publicKey: string | null;
            hasPassword: boolean;
            hasPrivateKey: boolean;
            hasPassphrase: boolean;
            /** @description What the machine showed at the first use. Another one is refused. */
            hostKey: string | null;
            hostKeyFingerprint: string | null;
            baseDomain: string | null;
            edgePort: number | null;
            edgeTlsPort: number | null;
            lastCheckedAt: string | null;
            lastCheck: components["schemas"]["ServerCheck"] | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        ServerCheck: {
            /** @description We are let in and can run commands. */
            ok: boolean;
            /** @description Why not, in a sentence. */
            reason?: string;
            /** @enum {string} */
            code?: "unreachable" | "refused" | "timeout" | "auth_failed" | "host_key_changed" | "misconfigured" | "no_commands";
            /** @description Something that speaks SSH answered. */
            reached: boolean;
            /** @description Of the shortest command. */
            latencyMs: number | null;
            system: string | null;
            architecture: string | null;
            /** @description `sudo`: without being asked for a password. */
            rights: ("root" | "sudo" | "none") | null;
            /** @description The container engine, and whether the user may use it. */
            engine: {
                available: boolean;
                version: string | null;
                reason: string | null;
            } | null;
            /** @description Where the engine's data is, or the root of the machine. */
            disk: {
                path: string;
                freeBytes: number;
                totalBytes: number;
            } | null;
        };
        GitHostAccount: {
            id: number;
            login: string;
            /** @enum {string} */
            type: "user" | "organization";
            avatarUrl: string | null;
            webUrl: string;
            /**
             * @description By what it is reached: the app, a connected account, or the sign-in of `gh`.
             * @enum {string}
             */
            source: "app" | "oauth" | "cli";
            /** @description Everything by which it is reached; the first one is used. */
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
             * @description By what it is reached.
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
            /** @description Type it at `verificationUri`. */
            userCode: string;
            verificationUri: string;
            /** Format: date-time */
            expiresAt: string;
            /** @description How long to wait between two calls of connect/poll. */
            intervalSeconds: number;
        } | {
            /** @constant */
            connected: false;
            /** @constant */
            flow: "terminal";
            /** @description For a terminal of the machine that Mooring runs on. */
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
             * @description By what it is reached.
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
            /** @description Whether it announces pushes to this instance. */
            ours: boolean;
        };
        Delivery: {
            id: string;
            /** @description What the git host calls it. */
            guid: string;
            event: string;
            repository: string | null;
            ref: string | null;
            commitSha: string | null;
            /** @enum {string} */
            status: "received" | "handled" | "ignored" | "failed";
            /** @description Why it came to this, where that has to be said. */
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
            /** @description How many past releases can be rolled back to. */
            rollbackWindow: number;
            /** @description Deploy what is pushed. */
            autoDeploy: boolean;
            /** @description Ask before each release. */
            requireApproval: boolean;
            /** @description May use what reaches beyond its containers. Only the instance owner sets it. */
            trusted: boolean;
            /** @description The server that it is deployed to; null for the machine of the service. Fixed while something of it is active. */
            serverId: string | null;
            rootDirectory: string | null;
            /** @description Null: as detected. Empty: nothing is run. */
            installCommand: string | null;
            /** @description Null: as detected. Empty: nothing is run. */
            buildCommand: string | null;
            /** @description Null: as detected. Empty: nothing is run. */
            startCommand: string | null;
            /** @description Runs once before each release. Null: none. */
            releaseCommand: string | null;
            outputDirectory: string | null;
            framework: string | null;
            packageManager: string | null;
            nodeVersion: string | null;
            port: number | null;
            resources: {
                memoryMb?: number;
                cpus?: number;
                /** @description In a container: nothing but `/tmp`, `/var/tmp`, `/run` and volumes can be written to. Off by default. */
                readOnly?: boolean;
            };
            healthCheck: {
                path?: string;
                timeoutSeconds?: number;
                /** @enum {string} */
                type?: "http" | "tcp";
            };
            publicEndpoints: components["schemas"]["PublicEndpoint"][];
            /** @description How many of an app run at once. */
            replicas: number;
            /** @description The same for services of a compose file, by name; others go by the file. */
            scale: {
                [key: string]: number;
            };
            /** @description Where production answers, once it is deployed. */
            url: string;
            /**
             * @description Where it lives.
             * @enum {string}
             */
            deployTarget: "local" | "server" | "cloud";
            /** @description What of it is in the hosted cloud: `there` while it lives there, `left` where it was brought home and not yet removed there. */
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
            /** @description The default branch if it is not given. */
            branch?: string;
        } | {
            /** @constant */
            type: "git";
            url: string;
            /** @description The default branch if it is not given. */
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
            /** @description Only what is below this path is answered there; the longest one wins. */
            targetPath?: string;
            /** @description A name below the instance's own domain. */
            domain?: string;
            /** @description A name of your own. It belongs to the project from the deployment on. */
            customDomain?: string;
            /**
             * @description Which of the two counts.
             * @enum {string}
             */
            domainType?: "free" | "custom";
            /** @description Which service, where there are several. */
            service?: string;
        };
        ProjectLink: {
            projectId: string;
            /** @description Null until the git host could be asked. */
            repositoryId: number | null;
            owner: string;
            repo: string;
            /** @description Whose pushes are deployed. */
            branch: string | null;
            /** @description What was at its head when we last heard of it. */
            seenCommit: string | null;
            /** @description Whether the git host announces pushes. Else its branches are looked at. */
            announced: boolean;
            checkedAt: string | null;
            /** @description Why the repository cannot be followed at the moment. */
            problem: string | null;
        };
        Variable: {
            key: string;
            /** @description Null for a secret one: it is never shown. */
            value: string | null;
            secret: boolean;
            buildTime: boolean;
            /** Format: date-time */
            updatedAt: string;
        };
        DeployKey: {
            /** @description The line to add to the repository as a key that may read. */
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
                /** @description All that the upload needs; shown this once. */
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
            /** @description As the source asks for it; null when it does not say. */
            languageVersion: string | null;
            packageManager: string | null;
            installCommand: string | null;
            buildCommand: string | null;
            startCommand: string | null;
            /** @description What the source wants to be run once before each release. */
            releaseCommand: string | null;
            outputDirectory: string | null;
            /** @description The file that answers for paths without one; null for a plain site. */
            fallback: string | null;
            port: number | null;
            dockerfile: string | null;
            /** @description The compose file of the source. */
            compose: string | null;
            /** @description What the compose file is made of; its mistakes are in `reasons`. */
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
            /** @description Folders that it is likely to need a volume for. */
            volumes: {
                name: string;
                path: string;
                reason: string;
            }[];
            /** @description Why: one sentence for each conclusion. */
            reasons: string[];
        };
        DetectedService: {
            name: string;
            image: string | null;
            /** @description Null for what is not built. `context` is a folder of the source. */
            build: {
                context: string;
                dockerfile: string | null;
                target: string | null;
            } | null;
            ports: {
                target: number;
                /** @description The port of the machine that it asks for. */
                published: number | null;
                protocol: string;
            }[];
            dependsOn: string[];
            /** @description Names of its variables. */
            environment: string[];
            /** @description Where something is mounted in it. */
            volumes: string[];
        };
        Domain: {
            id: string;
            name: string;
            projectId: string;
            environment: string;
            /** @description Which of several services; null: the one that the project’s own address leads to. */
            service: string | null;
            /** @description Only what is below this path is answered. */
            path: string;
            /** @description Another name of the project, or `https://` and a host: visitors are sent there, with path and query. */
            redirectTo: string | null;
            /** @description The first one of its environment: the address that is shown. */
            isPrimary: boolean;
            /**
             * @description `redirect`: who comes without TLS is sent to HTTPS once there is a certificate.
             * @enum {string}
             */
            https: "redirect" | "optional";
            /** @description How long browsers are told to come by HTTPS only; null: they are told nothing. */
            hstsSeconds: number | null;
            url: string;
            /** @description Whether the name leads here; null before it was looked at. */
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
            /** @description What somebody has to do so that the name answers over HTTPS. */
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
            /** @description Whether it is a name of a project that you see. */
            isOurs: boolean;
            stored: components["schemas"]["Certificate"] | null;
            /** @description What visitors get to see. */
            served: {
                reachable: boolean;
                /** @description Why it is not reachable, as a word. */
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
                /** @description Whether it is for this name. */
                matches: boolean | null;
                chain: ("trusted" | "self_signed" | "untrusted" | "incomplete" | "expired" | "not_yet_valid") | null;
                fingerprint: string | null;
            };
            order: {
                /** @enum {string} */
                status: "waiting" | "running" | "failed" | "done";
                /** @description How often it failed in a row. */
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
             * @description Whether the authority has issued it to us, or somebody uploaded it.
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
            /** @description When we renew it; null for one that was uploaded. */
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
                /** @description How many were answered with which kind of status. */
                statuses: {
                    "1xx": number;
                    "2xx": number;
                    "3xx": number;
                    "4xx": number;
                    "5xx": number;
                };
                bytesIn: number;
                bytesOut: number;
                /** @description Within how many milliseconds so many of a hundred were answered. */
                latencyMs: {
                    p50: number | null;
                    p95: number | null;
                    p99: number | null;
                };
            };
            /** @description Only those in which something was asked. */
            points: {
                /** Format: date-time */
                at: string;
                requests: number;
                /** @description How many were answered with which kind of status. */
                statuses: {
                    "1xx": number;
                    "2xx": number;
                    "3xx": number;
                    "4xx": number;
                    "5xx": number;
                };
                bytesIn: number;
                bytesOut: number;
                /** @description Within how many milliseconds so many of a hundred were answered. */
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
            /** @description What the machine showed when it was first reached; another one is refused. */
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
            /** @description Put before the names of all objects. */
            pathPrefix?: string | null;
            isDefault?: boolean;
            kind: string;
            /** @description The name of an existing bucket. */
            bucket?: string | null;
            /** @description For example eu-central-1. Leave it empty to detect it. */
            region?: string | null;
            /** @description Absolute path inside BACKUP_LOCAL_ROOT, the folder that this instance allows for backups. */
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
                maxLength: number;
            }[];
            /** @description Of each group at least one is needed. */
            oneOf: string[][];
        };
        Preflight: {
            ok: boolean;
            reason?: string;
            code?: string;
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
            /** @description Whether it is the release that serves. */
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
            /** @description One of the name `app`, or the services of a compose file or of the request. */
            services: {
                name: string;
                status: string;
                image: string | null;
                digest: string | null;
                error: string | null;
                /** @description What the deployment does to it; null for an app, and until it is planned. */
                change: ("unchanged" | "create" | "replace" | "remove") | null;
                /** @description How it is replaced: beside the old one, or after that was stopped. */
                strategy: ("start_first" | "stop_first") | null;
                /** @description Why it is replaced, and why so. */
                reason: string | null;
                /** @description The deployment whose container of it runs. */
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
                /** @description What it would lose or exchange; the deployment asks before it does that. */
                dataAtRisk: string[];
            }[];
            /** @description What the compose file asks for and is not carried out. */
            warnings: string[];
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
            /** @description Which replica has said it; null for a build. */
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
            /** @description Files that the release has written outside of its volumes, and that will be lost. */
            warnings: {
                /** Format: date-time */
                at: string;
                message: string;
                service: string | null;
            }[];
            /** @description How the app is built and started: settings of the project, and what was detected where it has none. Null before `detect` is done, and for several services. */
            recipe: {
                framework: string | null;
                installCommand: string | null;
                buildCommand: string | null;
                startCommand: string | null;
                releaseCommand: string | null;
                outputDirectory: string | null;
            } | null;
        };
        Volume: {
            /** @description Its name in the container engine. */
            id: string | null;
            name: string;
            path: string | null;
            service: string | null;
            environment: string;
            /**
             * @description Added to the project, of the compose file, or declared by an image.
             * @enum {string}
             */
            origin: "project" | "compose" | "image";
            sizeBytes: number | null;
            /** @description The active release mounts it. */
            inUse: boolean;
            /** @description The next deployment mounts it, or mounts it at another path. */
            pending: boolean;
            overlap: boolean;
            /** @description It was removed with its data, which is not deleted yet. */
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
            /** @description The active release that is scaled; null: the next one is. */
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
                /** @description Made by nobody whose services are here. */
                external: boolean;
            }[];
            networks: {
                name: string;
                driver: string;
                usedBy: string[];
                internal: boolean;
            }[];
            warnings: string[];
            /** @description How many services can be taken over. */
            adoptable: number;
            alreadyManaged: string[];
        };
        StackService: {
            /** @description What `adopt` calls it: `group/service`, or the service alone. */
            name: string;
            service: string;
            group: string | null;
            containerId: string;
            containerName: string;
            /** @description How many containers of it there are; what is told is the first one. */
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
            /** @description What a proxy beside it was told. */
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
            /** @description Why only the instance owner may take it over. */
            needsTrust: string[];
            alreadyManaged: boolean;
            warnings: string[];
        };
        Adoption: {
            projectId: string;
            serverId: string;
            /**
             * @description `adopted`: nothing was replaced yet. `switched`: something was, and can be brought back.
             * @enum {string}
             */
            state: "adopted" | "switched" | "undoing" | "undone" | "confirming" | "confirmed";
            services: {
                name: string;
                originals: {
                    /** @description Of the container. */
                    id: string;
                    name: string;
                    /**
                     * @description `in_charge`: nothing was done to it. `stopped`: for the service of the project, and kept.
                     * @enum {string}
                     */
                    standing: "in_charge" | "stopped" | "removed";
                    /** @description As the server says; null when it cannot be asked. */
                    running: boolean | null;
                }[];
            }[];
            canUndo: boolean;
        };
        CloudLink: {
            linked: boolean;
            /** @description Whose link it is: one of the organization, or that of the whole instance. */
            from: ("organization" | "settings") | null;
            url: string | null;
            /** @description Whose token it is. */
            account: string | null;
            /** @description Where it acts there. */
            organization: {
                id: string;
                name: string;
            } | null;
            /** @description Whether the cloud has just answered and takes the token. */
            reachable: boolean | null;
            /** @description Why not. */
            problem: string | null;
            /** @description How many projects of the organization live there. */
            projects: number;
            linkedAt: string | null;
        };
        OrganizationLimits: {
            projects: {
                used: number;
                /** @description Null is without a limit. */
                limit: number | null;
            };
            buildsAtOnce: {
                used: number;
                /** @description Null is without a limit. */
                limit: number | null;
            };
            /** @description Of everything that runs or is being started. */
            memoryMb: {
                used: number;
                /** @description Null is without a limit. */
                limit: number | null;
            };
            cpus: {
                used: number;
                /** @description Null is without a limit. */
                limit: number | null;
            };
            /** @description Of one container: what it gets where the project says nothing, and the most that it gets. */
            container: {
                memoryMb: {
                    /** @description Null is without a limit. */
                    usual: number | null;
                    /** @description Null is without a limit. */
                    most: number | null;
                };
                cpus: {
                    /** @description Null is without a limit. */
                    usual: number | null;
                    /** @description Null is without a limit. */
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
                            /** @description Sent as `X-Session-Proof` with each request by this session. Shown this once. */
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
                            /** @description Sent as `X-Session-Proof` with each request by this session. Shown this once. */
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
                            /** @description Whether the person signs in with a password they have already. */
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
                    /** @description Needed for somebody new. */
                    name?: string;
                    /** @description A new one, or for a known person their own. */
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
                            /** @description Sent as `X-Session-Proof` with each request by this session. Shown this once. */
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
                /** @description How many, 1 to 100. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
                /** @description One action (`token.created`), or all of a noun (`token.`). */
                action?: string;
                /** @description Who did it: a user id. */
                actorId?: string;
                /** @description What it was done to. */
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
                     * @description `this_machine` is the one that Mooring runs on: only for the instance owner.
                     * @default ssh
                     * @enum {string}
                     */
                    kind?: "ssh" | "this_machine";
                    name: string;
                    /** @description A name or an address. */
                    host?: string;
                    /** @description 22 if it is not given. */
                    port?: number;
                    /** @description Whom to sign in as. */
                    user?: string;
                    /** @description Never shown again. */
                    password?: string | null;
                    /** @description In the format of OpenSSH or as PEM. Never shown again. */
                    privateKey?: string | null;
                    /** @description What the private key is opened with. Never shown again. */
                    passphrase?: string | null;
                    /** @description Free names of projects there are below it. null: below the one of the instance. */
                    baseDomain?: string | null;
                    /** @description Where apps there are reached. null: 80. */
                    edgePort?: number | null;
                    /** @description Where they are reached over TLS. null: 443. */
                    edgeTlsPort?: number | null;
                    /** @description Makes a key for this server; `publicKey` then belongs into its authorized_keys. */
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
                        /** @description What is left on the machine, if it could not be reached. */
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
                     * @description `this_machine` is the one that Mooring runs on: only for the instance owner.
                     * @enum {string}
                     */
                    kind?: "ssh" | "this_machine";
                    name?: string;
                    /** @description A name or an address. */
                    host?: string;
                    /** @description 22 if it is not given. */
                    port?: number;
                    /** @description Whom to sign in as. */
                    user?: string;
                    /** @description Never shown again. */
                    password?: string | null;
                    /** @description In the format of OpenSSH or as PEM. Never shown again. */
                    privateKey?: string | null;
                    /** @description What the private key is opened with. Never shown again. */
                    passphrase?: string | null;
                    /** @description Free names of projects there are below it. null: below the one of the instance. */
                    baseDomain?: string | null;
                    /** @description Where apps there are reached. null: 80. */
                    edgePort?: number | null;
                    /** @description Where they are reached over TLS. null: 443. */
                    edgeTlsPort?: number | null;
                    /** @description Makes a key for this server; `publicKey` then belongs into its authorized_keys. */
                    generateKey?: boolean;
                    /** @description null forgets it. */
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
                        /** @description What became of the pinned host key. */
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
                         * @description `connected`: a source works. `disconnected`: nobody has connected one. `suspended`: the app sleeps at the git host. `signed_out`: the git host does not accept the connection any more; connect again. `unavailable`: the git host does not answer now.
                         * @enum {string}
                         */
                        state: "connected" | "disconnected" | "suspended" | "signed_out" | "unavailable";
                        accounts: components["schemas"]["GitHostAccount"][];
                        /** @description Where the app is installed for further accounts; null without an app. */
                        installUrl: string | null;
                        /** @description Whether the cloud that this instance is linked to is needed to connect, and does not answer. */
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
                         * @description `connected`: a source works. `disconnected`: nobody has connected one. `suspended`: the app sleeps at the git host. `signed_out`: the git host does not accept the connection any more; connect again. `unavailable`: the git host does not answer now.
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
                        /** @description Whether the sign-in of the host’s program on this machine can be used. */
                        available: boolean;
                        installed: boolean;
                        signedIn: boolean;
                        version: string | null;
                        /** @description The git host that it would be signed in at. */
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
                /** @description What is disconnected; `all` if nothing is said. */
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
                     * @description What is disconnected; `all` if nothing is said.
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
                            /** @description What was connected and is not any more. */
                            sources: ("app" | "oauth" | "cli")[];
                            /** @description What could not be ended at the git host; here it is gone all the same. */
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
                     * @description Forces a way; otherwise the server picks one. `app` installs the app for a further account, also when something is connected already.
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
                         * @description Of the newest sign-in by a code that the caller has begun; `none` if there is none.
                         * @enum {string}
                         */
                        status: "none" | "pending" | "connected" | "expired" | "denied";
                        userCode?: string;
                        verificationUri?: string;
                        /** Format: date-time */
                        expiresAt?: string;
                        /** @description How long to wait before asking again. */
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
                /** @description What was sent along when it began. */
                state?: unknown;
                /** @description What the sign-in is shown by. */
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
                /** @description Only those of this account. */
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
                    /** @description An account of the git host; that of whoever is connected if it is not given. */
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
                /** @description `true` gives its branches along. */
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
                        /** @description Reads this one repository, for less than an hour. Shown once. */
                        token: string;
                        cloneUrl: string;
                        /** @description Clones it in a terminal, quoted for a POSIX shell. */
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
                /** @description A folder of the repository; its root if it is not given. */
                path?: string;
                /** @description A branch; the default one if it is not given. */
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
                /** @description A branch; the default one if it is not given. */
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
                        /** @description What the JSON of a `.json` file means; else, or when it is none, the text of the file. */
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
                            /** @description Whether it is gone at the host. */
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
                /** @description How many, 1 to 100. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
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
                    /** @description The free address is made of it. From the name if it is not given. */
                    slug?: string;
                    source?: components["schemas"]["ProjectSource"];
                    /** @description How many past releases can be rolled back to. */
                    rollbackWindow?: number;
                    /** @description Deploy what is pushed. */
                    autoDeploy?: boolean;
                    /** @description Ask before each release. */
                    requireApproval?: boolean;
                    /** @description May use what reaches beyond its containers. Only the instance owner sets it. */
                    trusted?: boolean;
                    /** @description The server that it is deployed to; null for the machine of the service. Fixed while something of it is active. */
                    serverId?: string | null;
                    rootDirectory?: string | null;
                    /** @description Null: as detected. Empty: nothing is run. */
                    installCommand?: string | null;
                    /** @description Null: as detected. Empty: nothing is run. */
                    buildCommand?: string | null;
                    /** @description Null: as detected. Empty: nothing is run. */
                    startCommand?: string | null;
                    /** @description Runs once before each release. Null: none. */
                    releaseCommand?: string | null;
                    outputDirectory?: string | null;
                    framework?: string | null;
                    packageManager?: string | null;
                    nodeVersion?: string | null;
                    port?: number | null;
                    resources?: {
                        memoryMb?: number;
                        cpus?: number;
                        /** @description In a container: nothing but `/tmp`, `/var/tmp`, `/run` and volumes can be written to. Off by default. */
                        readOnly?: boolean;
                    };
                    healthCheck?: {
                        path?: string;
                        timeoutSeconds?: number;
                        /** @enum {string} */
                        type?: "http" | "tcp";
                    };
                    publicEndpoints?: components["schemas"]["PublicEndpoint"][];
                    /** @description How many of an app run at once. */
                    replicas?: number;
                    /** @description The same for services of a compose file, by name; others go by the file. */
                    scale?: {
                        [key: string]: number;
                    };
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
                    /** @description The free address is made of it. From the name if it is not given. */
                    slug?: string;
                    source?: components["schemas"]["ProjectSource"];
                    /** @description How many past releases can be rolled back to. */
                    rollbackWindow?: number;
                    /** @description Deploy what is pushed. */
                    autoDeploy?: boolean;
                    /** @description Ask before each release. */
                    requireApproval?: boolean;
                    /** @description May use what reaches beyond its containers. Only the instance owner sets it. */
                    trusted?: boolean;
                    /** @description The server that it is deployed to; null for the machine of the service. Fixed while something of it is active. */
                    serverId?: string | null;
                    rootDirectory?: string | null;
                    /** @description Null: as detected. Empty: nothing is run. */
                    installCommand?: string | null;
                    /** @description Null: as detected. Empty: nothing is run. */
                    buildCommand?: string | null;
                    /** @description Null: as detected. Empty: nothing is run. */
                    startCommand?: string | null;
                    /** @description Runs once before each release. Null: none. */
                    releaseCommand?: string | null;
                    outputDirectory?: string | null;
                    framework?: string | null;
                    packageManager?: string | null;
                    nodeVersion?: string | null;
                    port?: number | null;
                    resources?: {
                        memoryMb?: number;
                        cpus?: number;
                        /** @description In a container: nothing but `/tmp`, `/var/tmp`, `/run` and volumes can be written to. Off by default. */
                        readOnly?: boolean;
                    };
                    healthCheck?: {
                        path?: string;
                        timeoutSeconds?: number;
                        /** @enum {string} */
                        type?: "http" | "tcp";
                    };
                    publicEndpoints?: components["schemas"]["PublicEndpoint"][];
                    /** @description How many of an app run at once. */
                    replicas?: number;
                    /** @description The same for services of a compose file, by name; others go by the file. */
                    scale?: {
                        [key: string]: number;
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
                /** @description The server that the project would be deployed to. */
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
                            /** @description The slug that the name suggests. */
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
                /** @description `true`: its volumes go too, for good. */
                volumes?: "true" | "false";
                /** @description `true`: what is in the cloud, or on a server that does not answer, is left there; for those that will not come back. */
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
                    /** @description The free address is made of it. From the name if it is not given. */
                    slug?: string;
                    source?: components["schemas"]["ProjectSource"];
                    /** @description How many past releases can be rolled back to. */
                    rollbackWindow?: number;
                    /** @description Deploy what is pushed. */
                    autoDeploy?: boolean;
                    /** @description Ask before each release. */
                    requireApproval?: boolean;
                    /** @description May use what reaches beyond its containers. Only the instance owner sets it. */
                    trusted?: boolean;
                    /** @description The server that it is deployed to; null for the machine of the service. Fixed while something of it is active. */
                    serverId?: string | null;
                    rootDirectory?: string | null;
                    /** @description Null: as detected. Empty: nothing is run. */
                    installCommand?: string | null;
                    /** @description Null: as detected. Empty: nothing is run. */
                    buildCommand?: string | null;
                    /** @description Null: as detected. Empty: nothing is run. */
                    startCommand?: string | null;
                    /** @description Runs once before each release. Null: none. */
                    releaseCommand?: string | null;
                    outputDirectory?: string | null;
                    framework?: string | null;
                    packageManager?: string | null;
                    nodeVersion?: string | null;
                    port?: number | null;
                    resources?: {
                        memoryMb?: number;
                        cpus?: number;
                        /** @description In a container: nothing but `/tmp`, `/var/tmp`, `/run` and volumes can be written to. Off by default. */
                        readOnly?: boolean;
                    };
                    healthCheck?: {
                        path?: string;
                        timeoutSeconds?: number;
                        /** @enum {string} */
                        type?: "http" | "tcp";
                    };
                    publicEndpoints?: components["schemas"]["PublicEndpoint"][];
                    /** @description How many of an app run at once. */
                    replicas?: number;
                    /** @description The same for services of a compose file, by name; others go by the file. */
                    scale?: {
                        [key: string]: number;
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
                    /** @description The default branch if it is not given. */
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
                    /** @description By name: a string or an object sets, null removes, what is not named stays. */
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
                    /** @description Or an access token. Never shown again. */
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
                    /** @description Or an access token. Never shown again. */
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
                     * @description Where it is deployed to, unless the deployment says.
                     * @default local
                     * @enum {string}
                     */
                    mode?: "local" | "server" | "cloud";
                    /** @description With `server`: which one. */
                    serverId?: string;
                    /** @description Only this project may use it. */
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
                    /** @description Where the app is in the source. */
                    rootDirectory?: string;
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
                     * @description Which of several services; null: the one that the project’s own address leads to.
                     * @default null
                     */
                    service?: string | null;
                    /**
                     * @description Only what is below this path is answered.
                     * @default /
                     */
                    path?: string;
                    /**
                     * @description Another name of the project, or `https://` and a host: visitors are sent there, with path and query.
                     * @default null
                     */
                    redirectTo?: string | null;
                    /** @description The first one of its environment: the address that is shown. */
                    isPrimary?: boolean;
                    /**
                     * @description `redirect`: who comes without TLS is sent to HTTPS once there is a certificate.
                     * @default redirect
                     * @enum {string}
                     */
                    https?: "redirect" | "optional";
                    /**
                     * @description How long browsers are told to come by HTTPS only; null: they are told nothing.
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
                    /** @description Which of several services; null: the one that the project’s own address leads to. */
                    service?: string | null;
                    /** @description Only what is below this path is answered. */
                    path?: string;
                    /** @description Another name of the project, or `https://` and a host: visitors are sent there, with path and query. */
                    redirectTo?: string | null;
                    /** @description The first one of its environment: the address that is shown. */
                    isPrimary?: boolean;
                    /**
                     * @description `redirect`: who comes without TLS is sent to HTTPS once there is a certificate.
                     * @enum {string}
                     */
                    https?: "redirect" | "optional";
                    /** @description How long browsers are told to come by HTTPS only; null: they are told nothing. */
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
                    /** @description A name, without a scheme and a port. */
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
                    /** @description A name, without a scheme and a port. */
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
                    /** @description PEM: its own certificate first, then those up to the authority. */
                    certificate: string;
                    /** @description PEM, without a passphrase. It never comes back out. */
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
                             * @description Whether the authority has issued it to us, or somebody uploaded it.
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
                            /** @description When we renew it; null for one that was uploaded. */
                            renewsAt: string | null;
                            /** @description SHA-256, lower-case hex. */
                            fingerprint: string;
                            /** Format: date-time */
                            createdAt: string;
                            /** @description What visitors may not like about it. */
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
                    /** @description Put before the names of all objects. */
                    pathPrefix?: string | null;
                    isDefault?: boolean;
                    kind: string;
                    /** @description The name of an existing bucket. */
                    bucket?: string | null;
                    /** @description For example eu-central-1. Leave it empty to detect it. */
                    region?: string | null;
                    /** @description Absolute path inside BACKUP_LOCAL_ROOT, the folder that this instance allows for backups. */
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
                    /** @description Put before the names of all objects. */
                    pathPrefix?: string | null;
                    isDefault?: boolean;
                    kind?: string;
                    /** @description The name of an existing bucket. */
                    bucket?: string | null;
                    /** @description For example eu-central-1. Leave it empty to detect it. */
                    region?: string | null;
                    /** @description Absolute path inside BACKUP_LOCAL_ROOT, the folder that this instance allows for backups. */
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
    getDeployments: {
        parameters: {
            query?: {
                /** @description How many, 1 to 100. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
                projectId?: string;
                status?: "queued" | "building" | "deploying" | "ready" | "failed" | "cancelled" | "partial_failure" | "rejected";
                /** @description `true`: only the newest one of each project. */
                latest?: "true" | "false";
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
                     * @description `false` leaves it in the queue until `POST /api/deployments/:id/build`.
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
                     * @description `false` leaves it in the queue until `POST /api/deployments/:id/build`.
                     * @default true
                     */
                    autoStart?: boolean;
                    uploadSessionId?: string;
                    /**
                     * @description Where it is built: on the machine that it will run on (`server`), or on the one of the service (`local`). Both are the same while deployments run on the machine of the service.
                     * @enum {string}
                     */
                    buildStrategy?: "server" | "local";
                    /** @enum {string} */
                    deployTarget?: "local" | "server" | "cloud";
                    serverId?: string;
                    publicEndpoints?: components["schemas"]["PublicEndpoint"][];
                    /** @description What the project is made of, in place of what its source says. See docs/compose.md. */
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
                     * @description For this deployment, besides those of the project; kept secret.
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
                     * @description `false` leaves it in the queue until `POST /api/deployments/:id/build`.
                     * @default true
                     */
                    autoStart?: boolean;
                    uploadSessionId?: string;
                    /**
                     * @description Where it is built: on the machine that it will run on (`server`), or on the one of the service (`local`). Both are the same while deployments run on the machine of the service.
                     * @enum {string}
                     */
                    buildStrategy?: "server" | "local";
                    /** @enum {string} */
                    deployTarget?: "local" | "server" | "cloud";
                    serverId?: string;
                    publicEndpoints?: components["schemas"]["PublicEndpoint"][];
                    /** @description What the project is made of, in place of what its source says. See docs/compose.md. */
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
                     * @description For this deployment, besides those of the project; kept secret.
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
                    /** @description Where the app is in the source. */
                    rootDirectory?: string;
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
                     * @description The exact commit of that deployment instead of the latest of its branch.
                     * @default false
                     */
                    useExistingCommit?: boolean;
                    /**
                     * @description Start the artifact of this deployment, the active release, with the settings and variables of now. It is built only if one of those needs that; `buildReasons` names them.
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
                /** @description One of several services. */
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
                /** @description One of several services. */
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
                                /** @description Which of several that are alike, from 1 on. */
                                replica: number;
                                runtime: string;
                                state: string;
                                /** @description Whether it runs, is healthy and, where the edge leads to its service, gets requests. */
                                ready: boolean;
                                /** @description What its health check says, where it has one. */
                                health: string | null;
                                image: string | null;
                                host: string;
                                port: number;
                                startedAt: string | null;
                                restarts: number;
                                exitCode: number | null;
                                notices: string[];
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
                /** @description One of several services. */
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
    getProjectsByIdVolumes: {
        parameters: {
            query?: {
                /** @description Data that nothing mounts any more. */
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
                    /** @description Where it is mounted: relative to the folder of the app, or in a container also absolute. */
                    path: string;
                    /** @description Which of several services mounts it. */
                    service?: string;
                    /** @default production */
                    environment?: string;
                    /**
                     * @description Two releases may write to it at once, so a deployment need not stop the one before.
                     * @default false
                     */
                    overlap?: boolean;
                    /** @description `id` of a volume from `?orphans=true`, whose data it takes over. */
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
                    /** @description Where it is mounted: relative to the folder of the app, or in a container also absolute. */
                    path?: string;
                    /** @description Two releases may write to it at once, so a deployment need not stop the one before. */
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
                        /** @description There are more than are listed. */
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
                    /** @description Which of several services. */
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
                    /** @description As a scan names them: `group/service`, or the service where only one has that name. */
                    serviceNames: string[];
                    /** @description Take over what reaches the machine too. Only the instance owner may; the project is then a trusted one. */
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
                        /** @description What is not as it was, a sentence each. */
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
                        /** @description Containers that are as they were before. */
                        restored: string[];
                        /** @description What is not as somebody may expect it, a sentence each. */
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
                        /** @description Containers that are gone for good. Their volumes stay. */
                        removed: string[];
                        /** @description What is not as somebody may expect it, a sentence each. */
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
                    /** @description Where the cloud is. */
                    url: string;
                    /** @description An access token of yours there. It is kept sealed and never shown. */
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
                     * @description `false` deploys nothing yet.
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
                /** @description `true`: its volumes there go too, for good. */
                volumes?: "true" | "false";
                /** @description `true`: what is there is left there; for a cloud that will not come back. */
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
                    /** @description Names the call: the same one again deploys nothing a second time. */
                    key: string;
                    project: {
                        name: string;
                        /** @description The free address is made of it. From the name if it is not given. */
                        slug?: string;
                        source?: components["schemas"]["ProjectSource"];
                        /** @description How many past releases can be rolled back to. */
                        rollbackWindow?: number;
                        /** @description Deploy what is pushed. */
                        autoDeploy?: boolean;
                        /** @description Ask before each release. */
                        requireApproval?: boolean;
                        rootDirectory?: string | null;
                        /** @description Null: as detected. Empty: nothing is run. */
                        installCommand?: string | null;
                        /** @description Null: as detected. Empty: nothing is run. */
                        buildCommand?: string | null;
                        /** @description Null: as detected. Empty: nothing is run. */
                        startCommand?: string | null;
                        /** @description Runs once before each release. Null: none. */
                        releaseCommand?: string | null;
                        outputDirectory?: string | null;
                        framework?: string | null;
                        packageManager?: string | null;
                        nodeVersion?: string | null;
                        port?: number | null;
                        resources?: {
                            memoryMb?: number;
                            cpus?: number;
                            /** @description In a container: nothing but `/tmp`, `/var/tmp`, `/run` and volumes can be written to. Off by default. */
                            readOnly?: boolean;
                        };
                        healthCheck?: {
                            path?: string;
                            timeoutSeconds?: number;
                            /** @enum {string} */
                            type?: "http" | "tcp";
                        };
                        publicEndpoints?: components["schemas"]["PublicEndpoint"][];
                        /** @description How many of an app run at once. */
                        replicas?: number;
                        /** @description The same for services of a compose file, by name; others go by the file. */
                        scale?: {
                            [key: string]: number;
                        };
                    };
                    /** @description All of them: what is not named is removed. */
                    variables: {
                        [key: string]: string | null | {
                            value?: string;
                            secret?: boolean;
                            buildTime?: boolean;
                        };
                    };
                    /** @description What its repository is read with over ssh. */
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
                         * @description `false` leaves it in the queue until `POST /api/deployments/:id/build`.
                         * @default true
                         */
                        autoStart?: boolean;
                        publicEndpoints?: components["schemas"]["PublicEndpoint"][];
                        /** @description What the project is made of, in place of what its source says. See docs/compose.md. */
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
                         * @description For this deployment, besides those of the project; kept secret.
                         * @default {}
                         */
                        envVars?: {
                            [key: string]: string;
                        };
                        /** @description As `POST /api/deployments` does it: with the services that the active release was given by a request. */
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
                    /** @description Where the browser goes when it is done. */
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
                            /** @description The pages of the git host. */
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
                    /** @description By name, without the owner. All that the app sees there, if nothing is said. */
                    repositories?: string[];
                    /** @description More than `read` needs `githost:admin`, and so does saying nothing. */
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
                /** @description `next` of the answer before. Without it: from now on. */
                after?: string;
                /** @description How many seconds to wait for something to come. */
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
                            /** @description What the git host calls it. */
                            id: string;
                            /** @description SHA-256 of the bytes that came. */
                            digest: string;
                            /** @description `push`, `installation` or `repositories`, by its `type`. */
                            event: {
                                [key: string]: unknown;
                            };
                            /** Format: date-time */
                            receivedAt: string;
                        }[];
                        next: string;
                        /** @description Something before is not kept any more: look at everything by yourself. */
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
